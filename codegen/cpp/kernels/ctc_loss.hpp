// The loss of connectionist temporal classification.
#pragma once
#include "codegen/cpp/kernels/ctc.hpp"

namespace mithril::snippets {

template <typename T, typename X, typename Target, typename Length, typename Size>
void ctc_loss(Tensor<T, 1> output, Tensor<X, 3> log_probs, Tensor<Target, 2> targets,
              Tensor<Length, 1> input_lengths, Tensor<Size, 1> target_lengths, int64_t blank,
              bool zero_infinity) {
  each_ctc_sample(log_probs, targets, input_lengths, target_lengths, blank,
                  [&](int64_t n, const auto& paths) {
                    const double likelihood = paths.log_likelihood();
                    const bool is_zero = zero_infinity && likelihood == ctc_impossible;
                    output[n] = static_cast<T>(is_zero ? 0 : -likelihood);
                  });
}

}  // namespace mithril::snippets
