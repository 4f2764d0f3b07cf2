// The gradients of normalisation.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/normalization.hpp"

namespace mithril::snippets {

// The gradients of input, weight and bias; `fixed`: mean and rstd do not depend on the input.
template <typename T, size_t rank, typename G, typename X, typename M, typename R, size_t few,
          typename Weight>
void norm_grad(Tensor<T, rank> input_grad, Tensor<T, 1> weight_grad, Tensor<T, 1> bias_grad,
               Tensor<G, rank> grad, Tensor<X, rank> input, Tensor<M, few> mean,
               Tensor<R, few> rstd, Weight weight, const NormGroups& groups, bool fixed) {
  std::fill_n(weight_grad.data, weight_grad.size(), T());
  std::fill_n(bias_grad.data, bias_grad.size(), T());
  for (int64_t g = 0; g < groups.groups; ++g) {
    const T center = static_cast<T>(mean[g]), factor = static_cast<T>(rstd[g]);
    const auto unit = [&](int64_t i) { return (static_cast<T>(input[i]) - center) * factor; };
    const auto change = [&](int64_t i) { return static_cast<T>(grad[i]); };
    double sum = 0, products = 0;  // of the incoming gradient of the normalised elements
    if (groups.by_group) {
      const double bias_sum = groups.sum<T>(g, change);
      const double weight_sum = groups.sum<T>(g, [&](int64_t i) { return change(i) * unit(i); });
      weight_grad[g] = static_cast<T>(weight_sum);
      bias_grad[g] = static_cast<T>(bias_sum);
      const auto scale = static_cast<double>(parameter_at<T>(weight, g, 1));
      sum = bias_sum * scale;
      products = weight_sum * scale;
    } else {
      groups.each_run(g, [&](int64_t first) {
        const auto slope = [&](int64_t k) {
          return change(first + k) * parameter_at<T>(weight, k, 1);
        };
        sum += static_cast<double>(sum_of<T>(groups.length, slope));
        products += static_cast<double>(
            sum_of<T>(groups.length, [&](int64_t k) { return slope(k) * unit(first + k); }));
        for (int64_t k = 0; k < groups.length; ++k) {
          weight_grad[k] += change(first + k) * unit(first + k);
          bias_grad[k] += change(first + k);
        }
      });
    }
    const auto count = static_cast<double>(groups.size());
    const T shared = fixed ? T(0) : static_cast<T>(sum / count);
    const T by_unit = fixed ? T(0) : static_cast<T>(products / count);
    each_normalised(groups, g, [&](int64_t i, int64_t parameter) {
      const T slope = change(i) * parameter_at<T>(weight, parameter, 1);
      input_grad[i] = (slope - (shared + by_unit * unit(i))) * factor;
    });
  }
}

}  // namespace mithril::snippets
