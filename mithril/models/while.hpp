// Loops that a condition ends.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

struct WhileOptions {
  // Inputs of the body, each with the output that is its value in the next step.
  std::vector<std::pair<std::string, std::string>> carry = {};
  // The loop ends after as many steps although the condition is true. It has a gradient then.
  std::optional<int64_t> max_steps = {};
};

// A loop: while the condition is true, runs `body`. Both become its parts. The condition is a model
// with one output, a scalar bool. Ports: a carry is the value before the first step, of the shape
// and dtype that each step returns. The condition and all steps read the other inputs and the
// parameters. Outputs: "<carry>_last", the carry after the last step, for each carry. Without
// `max_steps` the loop has no gradient (GradientError E0501). Steps pass on the states of `body`. A
// condition with a state is no longer evaluated once it is false.
// NameError E0606 for a name that the body lacks; ShapeError E0206 and TypeError E0402 for a carry
// that changes its shape or type, and for a condition that is not a scalar bool; ConnectionError
// E0138 for a condition with several outputs; ValueError E0402 for a loop without carries, and for
// `max_steps` below 0.
Model While(const Model& condition, const Model& body, const WhileOptions& options);

}  // namespace mithril
