// Nodes with nested statements.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "codegen/common/program.hpp"

namespace mithril::codegen {

using BodyMaker = std::function<SourceProgram(const Graph& body, const std::vector<Dims>& inputs)>;
// For a node with nested graphs, with the dims of its arguments. Its place in the workspace is not
// known yet. ShapeError E0210 or E0219 if a body contradicts these sizes.
Block make_block(const SourceProgram& program, size_t node, const BodyMaker& make_body);

// Per argument: whether a body reads it.
std::vector<bool> arguments_read(const Block& block);
// The tensors that the text of the block names: the condition of a choice, the carries, and the
// arguments that a body reads.
std::vector<ValueId> block_reads(const Block& block);

// What a body takes from an argument.
enum class StepInput : uint8_t {
  carry,    // the value that the last step has made
  element,  // the element of the step
  kept,     // the whole
};
StepInput step_input(const Block& block, size_t argument);

// "The loop rnn.h_next: 5 steps, the last one first", "The loop x_last: while far", "The choice y".
std::string block_comment(const SourceProgram& program, size_t node, const Block& block);

}  // namespace mithril::codegen
