// Connectionist temporal classification: the samples of a batch.
#pragma once
#include <vector>

#include "codegen/cpp/kernels/tensor.hpp"
#include "mithril/ops/shared/ctc_paths.hpp"

namespace mithril::snippets {

inline void check_ctc_number(int64_t number, int64_t end) {
  if (number < 0 || number >= end) fail("a length, a target or the blank is out of range");
}

// Calls body(n, paths) for each sample n.
template <typename X, typename Target, typename Length, typename Size, typename Body>
void each_ctc_sample(Tensor<X, 3> log_probs, Tensor<Target, 2> targets,
                     Tensor<Length, 1> input_lengths, Tensor<Size, 1> target_lengths, int64_t blank,
                     Body body) {
  const int64_t steps = log_probs.dims[0], samples = log_probs.dims[1];
  const int64_t classes = log_probs.dims[2], width = targets.dims[1];
  if (samples > 0) check_ctc_number(blank, classes);
  for (int64_t n = 0; n < samples; ++n) {
    const auto length = static_cast<int64_t>(input_lengths[n]);
    const auto count = static_cast<int64_t>(target_lengths[n]);
    check_ctc_number(length, steps + 1);
    check_ctc_number(count, width + 1);
    std::vector<int64_t> labels;
    for (int64_t k = 0; k < count; ++k) {
      labels.push_back(static_cast<int64_t>(targets[n * width + k]));
      check_ctc_number(labels.back(), classes);
    }
    const auto log_prob = [=](int64_t step, int64_t label) {
      return static_cast<double>(log_probs[(step * samples + n) * classes + label]);
    };
    body(n, CtcPaths(length, labels, blank, log_prob));
  }
}

}  // namespace mithril::snippets
