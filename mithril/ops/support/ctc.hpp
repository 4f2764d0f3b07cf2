// Shared by ctc_loss and its gradient: ports, and the samples of a batch, which are checked.
#pragma once
#include <string>
#include <vector>

#include "mithril/ops/shared/ctc_paths.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

inline std::vector<PortDef> ctc_inputs() {
  return {{"log_probs", "T N C", "float"}, {"targets", "N S", "int"},
          {"input_lengths", "N", "int"},   {"target_lengths", "N", "int"},
          value("blank", "int", 0),        value("zero_infinity", "bool", false)};
}

inline void check_ctc_number(const EvalContext& c, const std::string& what, int64_t number,
                             int64_t end) {
  if (number >= 0 && number < end) return;
  reject(c, what + " is out of range", "0 to " + std::to_string(end - 1), std::to_string(number));
}

// Calls body(n, paths) for each sample n.
template <typename Body>
void each_ctc_sample(const EvalContext& c, Body body) {
  const Dims& dims = c.dims("log_probs");
  const int64_t steps = dims[0], samples = dims[1], classes = dims[2];
  const int64_t width = c.dims("targets")[1], blank = c.integer("blank");
  const auto log_probs = c.read<double>("log_probs");
  const auto targets = c.read<int64_t>("targets");
  const auto input_lengths = c.read<int64_t>("input_lengths");
  const auto target_lengths = c.read<int64_t>("target_lengths");
  if (samples > 0) check_ctc_number(c, "blank", blank, classes);
  for (int64_t n = 0; n < samples; ++n) {
    check_ctc_number(c, "an element of input_lengths", input_lengths[n], steps + 1);
    check_ctc_number(c, "an element of target_lengths", target_lengths[n], width + 1);
    std::vector<int64_t> labels;
    for (int64_t k = 0; k < target_lengths[n]; ++k) {
      labels.push_back(targets[n * width + k]);
      check_ctc_number(c, "an element of targets", labels.back(), classes);
    }
    const auto log_prob = [&, n](int64_t step, int64_t label) {
      return log_probs[(step * samples + n) * classes + label];
    };
    body(n, CtcPaths(input_lengths[n], labels, blank, log_prob));
  }
}

}  // namespace mithril
