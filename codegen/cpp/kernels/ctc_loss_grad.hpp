// The gradient of the loss of connectionist temporal classification.
#pragma once
#include "codegen/cpp/kernels/ctc.hpp"

namespace mithril::snippets {

template <typename T, typename X, typename Target, typename Length, typename Size>
void ctc_loss_grad(Tensor<T, 3> output, Tensor<X, 3> log_probs, Tensor<Target, 2> targets,
                   Tensor<Length, 1> input_lengths, Tensor<Size, 1> target_lengths, int64_t blank,
                   bool zero_infinity) {
  const int64_t samples = output.dims[1], classes = output.dims[2];
  const double of_infinity = zero_infinity ? 0 : std::nan("");
  std::vector<double> slopes(static_cast<size_t>(output.size()));
  const auto slope = [&](int64_t step, int64_t n, int64_t label) -> double& {
    return slopes[static_cast<size_t>((step * samples + n) * classes + label)];
  };
  each_ctc_sample(log_probs, targets, input_lengths, target_lengths, blank,
                  [&](int64_t n, const auto& paths) {
                    if (paths.log_likelihood() == ctc_impossible) {
                      for (int64_t step = 0; step < paths.steps(); ++step)
                        for (int64_t k = 0; k < classes; ++k) slope(step, n, k) = of_infinity;
                      return;
                    }
                    paths.each_state([&](int64_t step, int64_t label, double probability) {
                      slope(step, n, label) -= probability;
                    });
                  });
  for (int64_t i = 0; i < output.size(); ++i)
    output[i] = static_cast<T>(slopes[static_cast<size_t>(i)]);
}

}  // namespace mithril::snippets
