// Nodes with nested statements.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "codegen/common/program.hpp"

namespace mithril::codegen {

// Whether the node runs graphs of its own, so that a language needs blocks for it.
bool has_body(const Node& node);

using BodyMaker = std::function<Program(const Graph& body, const std::vector<Dims>& inputs)>;
// For such a node, with the dims of its arguments. Its place in the workspace is not known yet.
// ShapeError E0210 or E0219 if a loop contradicts these sizes.
Block make_block(const Program& program, size_t node, const BodyMaker& make_body);

// The arguments that the text of the block names: the carries, and what a step reads.
std::vector<ValueId> block_reads(const Block& block);

// What a step of a loop takes from an argument.
enum class StepInput : uint8_t {
  carry,    // the value that the last step has made
  element,  // the element of the step
  kept,     // the whole: each step reads it
};
StepInput step_input(const Block& block, size_t argument);

// "The loop rnn.h_next: 5 steps, the last one first".
std::string block_comment(const Program& program, size_t node, const Block& block);

}  // namespace mithril::codegen
