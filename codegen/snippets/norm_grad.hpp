// The gradients of normalising.
#pragma once
#include <algorithm>

#include "codegen/snippets/normalization.hpp"

namespace mithril::snippets {

// Of input, weight and bias; `fixed`: mean and rstd are not those of the input.
template <typename T, size_t rank, typename G, typename X, typename M, typename R, size_t few,
          typename Weight>
void norm_grad(Tensor<T, rank> input_grad, Tensor<T, 1> weight_grad, Tensor<T, 1> bias_grad,
               Tensor<G, rank> grad, Tensor<X, rank> input, Tensor<M, few> mean,
               Tensor<R, few> rstd, Weight weight, const NormGroups& groups, bool fixed) {
  std::fill_n(weight_grad.data, weight_grad.size(), T());
  std::fill_n(bias_grad.data, bias_grad.size(), T());
  for (int64_t g = 0; g < groups.groups; ++g) {
    double sum = 0, products = 0, weight_sum = 0, bias_sum = 0;
    const auto unit = [&](int64_t at) {
      return (static_cast<double>(input[at]) - mean[g]) * rstd[g];
    };
    for (int64_t k = 0; k < groups.size; ++k) {
      const int64_t at = groups.at(g, k), parameter = groups.parameter(g, k);
      const double slope = grad[at] * parameter_at(weight, parameter, 1);
      sum += slope;
      products += slope * unit(at);
      if (groups.by_group) {
        weight_sum += grad[at] * unit(at);
        bias_sum += grad[at];
      } else {
        weight_grad[parameter] += static_cast<T>(grad[at] * unit(at));
        bias_grad[parameter] += static_cast<T>(grad[at]);
      }
    }
    if (groups.by_group) {
      weight_grad[g] = static_cast<T>(weight_sum);
      bias_grad[g] = static_cast<T>(bias_sum);
    }
    for (int64_t k = 0; k < groups.size; ++k) {
      const int64_t at = groups.at(g, k);
      const double slope = grad[at] * parameter_at(weight, groups.parameter(g, k), 1);
      const double shared =
          fixed ? 0 : (sum + products * unit(at)) / static_cast<double>(groups.size);
      input_grad[at] = static_cast<T>((slope - shared) * rstd[g]);
    }
  }
}

}  // namespace mithril::snippets
