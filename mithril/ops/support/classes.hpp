// Samples with a class each; the second axis of a tensor holds the classes.
#pragma once
#include <cstdint>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril {

// Calls body(sample, at): `sample` counts the elements of the port `index`, `at` is the index of
// its class in a tensor of these dims, [N, C, ...].
template <typename Body>
void each_class(const EvalContext& c, const Dims& dims, Body body) {
  const auto index = c.read<int64_t>("index");
  const AxisView view(dims, 1);
  for (int64_t sample = 0; sample < index.size(); ++sample) {
    const int64_t chosen = index[sample];
    if (chosen < 0 || chosen >= view.size) {
      raise({.kind = ErrorKind::value,
             .code = "E0412",
             .message = c.op_name() + ": class " + std::to_string(chosen) +
                        " is out of range for " + std::to_string(view.size) + " classes",
             .facts = {{"expected", "0 to " + std::to_string(view.size - 1)},
                       {"index", std::to_string(chosen)}},
             .help = "number the classes from 0 on"});
    }
    body(sample, view.at(sample / view.inner, chosen, sample % view.inner));
  }
}

}  // namespace mithril
