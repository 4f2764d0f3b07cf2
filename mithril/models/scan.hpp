// Loops as parts.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// How a model is run step by step.
struct ScanOptions {
  // Inputs of the body, each with the output that is its value in the next step.
  std::vector<std::pair<std::string, std::string>> carry = {};
  std::vector<std::string> sequences = {};  // inputs that read one element in each step
  std::vector<std::string> outputs = {};    // outputs whose values of all steps are stacked
  int64_t axis = 0;                         // of the steps, in sequences and outputs
  bool reverse = false;                     // the last element comes first
  std::optional<Binding> length = {};       // an int; needed without sequences
  // A new input [N] of ints: how many elements of its sequences each of N samples has. Samples are
  // along the first axis of carries and of the values to stack. Empty: all have all elements.
  std::string lengths = {};
};

// A loop: runs `body`, which becomes its part, once for each element of the sequences. Ports: those
// of the body. A sequence [..., T, ...] has the steps along `axis`; the body reads its elements
// without that axis. A carry is the value before the first step, of the shape and dtype that each
// step returns. All steps read the other inputs and the parameters. Outputs: each of `outputs`
// [..., T, ...], and "<carry>_last", the carry after the last step, for each carry. T may be
// unknown, and differ from call to call. Beyond its length, a sample keeps its carries, and its
// stacked values are 0. If it is 0, the last carries are the first ones. A state of the body is a
// state of the loop under the same path: each step reads what the one before has left.
// NameError E0606 for a name that the body lacks; ShapeError E0206, E0202 and TypeError E0301 for a
// carry that changes its shape or type, and for sequences of different lengths.
Model Scan(const Model& body, const ScanOptions& options);

}  // namespace mithril
