#include "codegen/common/block.hpp"

#include <algorithm>

#include "codegen/common/names.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/scan_reference.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

constexpr int64_t alignment_of_blocks = 64;

int64_t aligned_in_block(int64_t bytes) {
  return (bytes + alignment_of_blocks - 1) / alignment_of_blocks * alignment_of_blocks;
}

// The bodies use their workspace one after the other.
void place_bodies(Block& block) {
  for (const SourceProgram& body : block.bodies)
    block.bytes = std::max(block.bytes, aligned_in_block(body.workspace_bytes));
}

void place_spares(Block& block) {
  const SourceProgram& step = block.step();
  const bool has_spares = block.kind == BlockKind::while_loop || block.steps > 1;
  for (size_t k = 0; k < block.carries; ++k) {
    const ValueId id = step.graph.inputs()[k];
    block.spares.push_back(block.bytes);
    if (has_spares)
      block.bytes += aligned_in_block(element_count(step.dims_of(id)) *
                                      static_cast<int64_t>(size_of(step.graph.value(id).dtype)));
  }
}

std::vector<Dims> argument_dims(const SourceProgram& program, const Block& block) {
  std::vector<Dims> dims;
  for (const ValueId id : block.arguments) dims.push_back(program.dims_of(id));
  return dims;
}

std::vector<Dims> made_dims(const SourceProgram& body) {
  std::vector<Dims> dims;
  for (const Output& output : body.graph.outputs()) dims.push_back(body.dims_of(output.value));
  return dims;
}

Block make_steps(const SourceProgram& program, size_t node, const BodyMaker& make_body) {
  const ScanLoop scan = scan_of(program.node(node));
  const size_t length = program.node(node).argument_index("length");
  Block block{.kind = BlockKind::steps,
              .arguments = scan.arguments,
              .bodies = {},
              .carries = scan.carries,
              .sequences = scan.sequences,
              .steps = program.plan.nodes[node].values[length].integer(),
              .reverse = scan.reverse};
  std::vector<Dims> given = argument_dims(program, block);
  for (size_t i = scan.carries; i < scan.carries + scan.sequences; ++i) {
    check_steps(scan, i, given[i].front(), block.steps);
    given[i].erase(given[i].begin());
  }
  block.bodies.push_back(make_body(scan.body, given));
  check_carries(scan, given, made_dims(block.step()));
  if (block.steps == 0) {
    block.bodies.clear();
    return block;
  }
  place_bodies(block);
  place_spares(block);
  return block;
}

Block make_choice(const SourceProgram& program, size_t node, const BodyMaker& make_body) {
  const CondNode cond = cond_of(program.node(node));
  Block block{.kind = BlockKind::choice,
              .arguments = cond.arguments,
              .bodies = {},
              .condition = cond.condition};
  const std::vector<ValueId>& outputs = program.node(node).outputs;
  for (const Graph* branch : {&cond.then, &cond.otherwise}) {
    block.bodies.push_back(make_body(*branch, argument_dims(program, block)));
    const std::vector<Dims> made = made_dims(block.bodies.back());
    for (size_t k = 0; k < made.size(); ++k)
      check_stated_dims("cond", program.graph.value(outputs[k]).name, program.dims_of(outputs[k]),
                        made[k]);
  }
  place_bodies(block);
  return block;
}

Block make_while(const SourceProgram& program, size_t node, const BodyMaker& make_body) {
  const WhileNode loop = while_of(program.node(node));
  Block block{.kind = BlockKind::while_loop,
              .arguments = loop.arguments,
              .bodies = {},
              .carries = loop.carries()};
  const std::vector<Dims> given = argument_dims(program, block);
  for (const Graph* body : {&loop.condition, &loop.body})
    block.bodies.push_back(make_body(*body, given));
  check_carries(loop.body, block.carries, given, made_dims(block.step()));
  place_bodies(block);
  block.goes_on = block.bytes;
  block.bytes += aligned_in_block(1);
  place_spares(block);
  return block;
}

}  // namespace

Block make_block(const SourceProgram& program, size_t node, const BodyMaker& make_body) {
  if (is_scan(program.node(node))) return make_steps(program, node, make_body);
  return is_cond(program.node(node)) ? make_choice(program, node, make_body)
                                     : make_while(program, node, make_body);
}

std::vector<bool> arguments_read(const Block& block) {
  std::vector<bool> read(block.arguments.size());
  for (const SourceProgram& body : block.bodies) {
    const std::vector<bool> in_body = values_read(body);
    for (size_t i = 0; i < read.size(); ++i)
      read[i] = read[i] || in_body[index(body.graph.inputs()[i])];
  }
  return read;
}

std::vector<ValueId> block_reads(const Block& block) {
  std::vector<ValueId> reads;
  if (block.condition) reads.push_back(*block.condition);
  const std::vector<bool> read = arguments_read(block);
  for (size_t i = 0; i < read.size(); ++i) {
    if (i < block.carries || read[i]) reads.push_back(block.arguments[i]);
  }
  return reads;
}

StepInput step_input(const Block& block, size_t argument) {
  if (argument < block.carries) return StepInput::carry;
  return argument < block.carries + block.sequences ? StepInput::element : StepInput::kept;
}

std::string block_comment(const SourceProgram& program, size_t node, const Block& block) {
  const std::string name = comment(program.graph.value(program.node(node).outputs.front()).name);
  if (block.kind == BlockKind::choice) return "The choice " + name;
  if (block.kind == BlockKind::while_loop)
    return "The loop " + name + ": while " +
           comment(block.bodies.front().graph.outputs().front().name);
  return "The loop " + name + ": " + std::to_string(block.steps) +
         (block.steps == 1 ? " step" : " steps") + (block.reverse ? ", the last one first" : "");
}

}  // namespace mithril::codegen
