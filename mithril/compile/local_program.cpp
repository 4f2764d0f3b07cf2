#include "mithril/compile/local_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/parameter_blocks.hpp"
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/place.hpp"
#include "mithril/passes/placements/place_beginning.hpp"
#include "mithril/passes/placements/recompute_at_end.hpp"
#include "mithril/passes/placements/shard.hpp"

namespace mithril {
namespace {

bool is_scalar(const Value& value) { return value.ranked && value.dims.empty(); }

// Data that is not replicated, unless it has no axes; then the incoming gradients of outputs that
// have as many rows.
std::vector<bool> sharded_inputs(const CompiledState& compiled, const Graph& graph) {
  const auto input = [&](size_t i) -> const Value& { return graph.value(graph.inputs()[i]); };
  std::vector<bool> sharded(graph.inputs().size());
  const auto& replicated = compiled.replicated_keys;
  for (const NamedIndex& key : compiled.data) {
    const bool is_replicated =
        std::find(replicated.begin(), replicated.end(), key.name) != replicated.end();
    sharded[key.index] = !is_replicated && !is_scalar(input(key.index));
  }
  const auto has_rows_of = [&](const Value& gradient, const NamedIndex& key) {
    const Value& data = input(key.index);
    return sharded[key.index] && data.ranked && same(gradient.dims.front(), data.dims.front());
  };
  for (size_t i = compiled.inputs.size(); i < sharded.size(); ++i) {
    const Value& gradient = input(i);
    if (!gradient.ranked || is_scalar(gradient)) continue;
    sharded[i] = std::any_of(compiled.data.begin(), compiled.data.end(),
                             [&](const NamedIndex& key) { return has_rows_of(gradient, key); });
  }
  return sharded;
}

PlacementOptions options_for(const CompiledState& compiled, const Graph& graph) {
  const Communicator& group = *compiled.data_group;
  return {.group = group.name(),
          .rank = group.rank(),
          .size = group.size(),
          .sharded_inputs = sharded_inputs(compiled, graph),
          .bucket_bytes = compiled.bucket_bytes};
}

// For the processes of a group that hold blocks of some inputs.
ShardOptions shard_options(const CompiledState& compiled, const Communicator& group,
                           const Graph& placed) {
  ShardOptions options{.group = group.name(),
                       .rank = group.rank(),
                       .size = group.size(),
                       .row_inputs = sharded_inputs(compiled, placed),
                       .bucket_bytes = compiled.bucket_bytes};
  options.input_axes.resize(placed.inputs().size());
  options.output_axes.resize(placed.outputs().size());
  return options;
}

// The axes of parameters that are blocks.
void shard_parameters(const CompiledState& compiled, ShardOptions& options) {
  for (const NamedIndex& key : compiled.parameters) {
    if (const auto block = parameter_block(compiled, key.name))
      options.input_axes[key.index] = block->axis;
  }
}

// An output that replaces an input is sharded as the input is.
void shard_donations(const std::vector<Donation>& donations, ShardOptions& options) {
  for (const Donation& donation : donations)
    options.output_axes[donation.output] = options.input_axes[donation.input];
}

Graph with_blocks(const CompiledState& compiled, Graph placed,
                  const std::vector<size_t>& differentiated) {
  if (!has_blocks(compiled)) return placed;
  ShardOptions options = shard_options(compiled, *compiled.model_group, placed);
  shard_parameters(compiled, options);
  const size_t first = placed.outputs().size() - differentiated.size();
  for (size_t i = 0; i < differentiated.size(); ++i)
    options.output_axes[first + i] = options.input_axes[differentiated[i]];
  return shard(placed, options).graph;
}

// The step of a process that holds blocks of parameters, and of what belongs to them.
Graph with_blocks(const CompiledState& compiled, const TrainingGraph& step, Graph placed) {
  if (!has_blocks(compiled)) return placed;
  ShardOptions options = shard_options(compiled, *compiled.model_group, placed);
  shard_parameters(compiled, options);
  for (const auto* inputs : {&step.gradient_sums, &step.memory}) {
    for (const ParameterInput& of : *inputs)
      options.input_axes[of.input] = options.input_axes[of.parameter];
  }
  shard_donations(step.donations, options);
  return shard(placed, options).graph;
}

// The axis of the blocks of the memory of a parameter that is whole.
std::optional<size_t> axis_of_memory(const CompiledState& compiled, const std::string& key,
                                     const Value& value) {
  Dims dims;
  for (const Dim& dim : value.dims) {
    const Dim size = resolve(dim);
    if (!size.is_constant()) return std::nullopt;
    dims.push_back(size.constant());
  }
  const std::optional<MemoryBlock> block = memory_block(compiled, key, dims);
  return block && !block->of_parameter ? std::optional(block->axis) : std::nullopt;
}

// The step of a process that holds blocks of the memory of the optimizer.
Graph with_sharded_memory(const CompiledState& compiled, const TrainingGraph& step, Graph placed) {
  if (!compiled.shard_memory || step.memory.empty()) return placed;
  ShardOptions options = shard_options(compiled, *compiled.data_group, placed);
  for (const ParameterInput& of : step.memory) {
    const Value& value = placed.value(placed.inputs()[of.input]);
    const std::string& key = compiled.inputs[of.parameter].key;
    options.input_axes[of.input] = axis_of_memory(compiled, key, value);
  }
  shard_donations(step.donations, options);
  return recompute_at_end(shard(placed, options).graph, memory_outputs(step));
}

}  // namespace

void check_replicated(const CompiledState& compiled) {
  for (const std::string& name : compiled.replicated_keys) {
    if (contains(compiled.data, name)) continue;
    unknown_name(ErrorKind::name, "E0606", "data input", name, "", names_of(compiled.data));
  }
}

void check_rows(const CompiledState& compiled) {
  if (is_distributed(compiled)) BatchRows(compiled.graph, sharded_inputs(compiled, compiled.graph));
}

void agree_on_sizes(const CompiledState& compiled, const std::vector<Tensor>& inputs) {
  if (!is_distributed(compiled)) return;
  const std::vector<bool> sharded = sharded_inputs(compiled, compiled.graph);
  AgreementEntries entries, rows;
  for (const NamedIndex& key : compiled.data) {
    const Value& value = compiled.graph.value(compiled.graph.inputs()[key.index]);
    const Dims& dims = inputs[key.index].dims();
    const size_t rank = std::min(value.dims.size(), dims.size());  // safe_shapes=False: may differ
    if (sharded[key.index] && rank > 0)
      rows.emplace_back(fmt::format("size 0 of '{}'", key.name), std::to_string(dims[0]));
    for (size_t axis = sharded[key.index] ? 1 : 0; axis < rank; ++axis) {
      if (resolve(value.dims[axis]).is_constant()) continue;
      entries.emplace_back(fmt::format("size {} of '{}'", axis, key.name),
                           std::to_string(dims[axis]));
    }
  }
  if (!entries.empty()) agree(*compiled.group, "a step", entries);
  // Processes that share parameters compute the same rows.
  if (has_peers(compiled.model_group.get()))
    agree_among(compiled, *compiled.model_group, "a step", rows);
}

Graph local_program(const CompiledState& compiled, const Graph& graph,
                    const std::vector<size_t>& differentiated) {
  if (!is_distributed(compiled)) return graph;
  return with_blocks(compiled, place(graph, options_for(compiled, graph)).graph, differentiated);
}

Graph local_program(const CompiledState& compiled, const TrainingGraph& step) {
  if (!is_distributed(compiled)) return step.graph;
  PlacementOptions options = options_for(compiled, step.graph);
  const auto with_all_blocks = [&](Graph placed) {
    return with_sharded_memory(compiled, step, with_blocks(compiled, step, std::move(placed)));
  };
  if (step.gradient) {
    if (auto placed = place_beginning(step.graph, *step.gradient, options))
      return with_all_blocks(*std::move(placed));
  }
  options.partial_inputs.resize(step.graph.inputs().size());
  options.partial_outputs.resize(step.graph.outputs().size());
  for (const ParameterInput& sum : step.gradient_sums) options.partial_inputs[sum.input] = true;
  for (const Donation& donation : step.donations) {
    if (options.partial_inputs[donation.input]) options.partial_outputs[donation.output] = true;
  }
  return with_all_blocks(place(step.graph, options).graph);
}

std::optional<MemoryBlock> memory_block(const CompiledState& compiled, const std::string& key,
                                        const Dims& dims) {
  if (const auto block = parameter_block(compiled, key)) return MemoryBlock{*block, true};
  if (!is_distributed(compiled) || !compiled.shard_memory) return std::nullopt;
  const Communicator& group = *compiled.data_group;
  for (size_t axis = 0; group.size() > 1 && axis < dims.size(); ++axis) {
    if (dims[axis] > 0 && dims[axis] % group.size() == 0)
      return MemoryBlock{{axis, group.rank(), group.size()}};
  }
  return std::nullopt;
}

std::vector<Collective> collectives_of(const CompiledState& compiled, const Graph& graph,
                                       const std::vector<size_t>& differentiated) {
  if (!is_distributed(compiled)) return {};
  return collectives_in(local_program(compiled, graph, differentiated),
                        unused_prefix(graph, "rows"));
}

}  // namespace mithril
