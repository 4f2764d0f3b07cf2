#include "codegen/common/block.hpp"

#include "codegen/common/names.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/scan_reference.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

constexpr int64_t alignment_of_blocks = 64;

int64_t aligned_in_block(int64_t bytes) {
  return (bytes + alignment_of_blocks - 1) / alignment_of_blocks * alignment_of_blocks;
}

void place_spares(Block& block) {
  const Program& step = block.step();
  block.bytes = aligned_in_block(step.workspace_bytes);
  for (size_t k = 0; k < block.carries; ++k) {
    const ValueId id = step.graph.inputs()[k];
    block.spares.push_back(block.bytes);
    if (block.steps > 1)
      block.bytes += aligned_in_block(element_count(step.dims_of(id)) *
                                      static_cast<int64_t>(size_of(step.graph.value(id).dtype)));
  }
}

}  // namespace

bool has_body(const Node& node) { return is_scan(node); }

Block make_block(const Program& program, size_t node, const BodyMaker& make_body) {
  const ScanLoop scan = scan_of(program.node(node));
  const size_t length = program.node(node).argument_index("length");
  Block block{.arguments = scan.arguments,
              .bodies = {},
              .carries = scan.carries,
              .sequences = scan.sequences,
              .steps = program.plan.nodes[node].values[length].integer(),
              .reverse = scan.reverse,
              .spares = {}};
  std::vector<Dims> given, made;
  for (size_t i = 0; i < scan.arguments.size(); ++i) {
    const Dims& dims = program.dims_of(scan.arguments[i]);
    const bool element = step_input(block, i) == StepInput::element;
    if (element) check_steps(scan, i, dims.front(), block.steps);
    given.emplace_back(dims.begin() + (element ? 1 : 0), dims.end());
  }
  block.bodies.push_back(make_body(scan.body, given));
  const Program& step = block.step();
  for (const Output& output : step.graph.outputs()) made.push_back(step.dims_of(output.value));
  check_carries(scan, given, made);
  if (block.steps == 0)
    block.bodies.clear();
  else
    place_spares(block);
  return block;
}

std::vector<ValueId> block_reads(const Block& block) {
  std::vector<ValueId> reads(block.arguments.begin(),
                             block.arguments.begin() + static_cast<std::ptrdiff_t>(block.carries));
  if (block.steps == 0) return reads;
  const std::vector<bool> read = values_read(block.step());
  for (size_t i = block.carries; i < block.arguments.size(); ++i) {
    if (read[index(block.step().graph.inputs()[i])]) reads.push_back(block.arguments[i]);
  }
  return reads;
}

StepInput step_input(const Block& block, size_t argument) {
  if (argument < block.carries) return StepInput::carry;
  return argument < block.carries + block.sequences ? StepInput::element : StepInput::kept;
}

std::string block_comment(const Program& program, size_t node, const Block& block) {
  const std::string& name = program.graph.value(program.node(node).outputs.front()).name;
  return "The loop " + comment(name) + ": " + std::to_string(block.steps) +
         (block.steps == 1 ? " step" : " steps") + (block.reverse ? ", the last one first" : "");
}

}  // namespace mithril::codegen
