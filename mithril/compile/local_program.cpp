#include "mithril/compile/local_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/compile/agreement.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/passes/placements/place.hpp"
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
  const Communicator& group = *compiled.group;
  return {.group = group.name(),
          .rank = group.rank(),
          .size = group.size(),
          .sharded_inputs = sharded_inputs(compiled, graph),
          .bucket_bytes = compiled.bucket_bytes};
}

// The axis of the blocks of an input of known sizes.
std::optional<size_t> axis_of_memory(const CompiledState& compiled, const Value& value) {
  Dims dims;
  for (const Dim& dim : value.dims) {
    const Dim size = resolve(dim);
    if (!size.is_constant()) return std::nullopt;
    dims.push_back(size.constant());
  }
  const std::optional<TensorBlock> block = memory_block(compiled, dims);
  return block ? std::optional(block->axis) : std::nullopt;
}

// The step of a process that holds blocks of the memory of the optimizer.
Graph shard_memory(const CompiledState& compiled, const TrainingGraph& step, const Graph& placed) {
  const Communicator& group = *compiled.group;
  ShardOptions options{.group = group.name(),
                       .rank = group.rank(),
                       .size = group.size(),
                       .row_inputs = sharded_inputs(compiled, placed),
                       .bucket_bytes = compiled.bucket_bytes};
  options.input_axes.resize(placed.inputs().size());
  options.output_axes.resize(placed.outputs().size());
  for (const size_t input : step.memory)
    options.input_axes[input] = axis_of_memory(compiled, placed.value(placed.inputs()[input]));
  for (const Donation& donation : step.donations)
    options.output_axes[donation.output] = options.input_axes[donation.input];
  return shard(placed, options).graph;
}

}  // namespace

bool has_peers(const Communicator* group) { return group && group->size() > 1; }

bool is_distributed(const CompiledState& compiled) {
  return has_peers(compiled.group.get()) && compiled.mode == Mode::training && !compiled.inference;
}

Communicator* group_of(const CompiledState& compiled) {
  return is_distributed(compiled) ? compiled.group.get() : nullptr;
}

void check_exchanges(const Backend& backend, bool several) {
  const bool exchanges = !several && (backend.name() == "cpu" || backend.name() == "torch");
  const bool is_of_autograd = exchanges && backend.graph_options().differentiates;
  if (exchanges && !is_of_autograd) return;
  const std::string subject = several ? "a model on several backends"
                                      : "the backend \"" + std::string(backend.name()) + "\"";
  raise({.kind = ErrorKind::backend,
         .code = "E1054",
         .message = subject + (is_of_autograd ? " with requires_grad" : "") +
                    " cannot train on several processes",
         .help = is_of_autograd
                     ? "make the backend without requires_grad, and train with ml.TrainingStep"
                     : "compile for ml.CpuBackend() or ml.TorchBackend(), or leave out the group"});
}

void refuse_distributed(const CompiledState& compiled, const char* subject, const char* help) {
  if (!is_distributed(compiled)) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1054",
         .message = std::string(subject) + " cannot train on several processes",
         .help = help});
}

void check_replicated(const CompiledState& compiled) {
  for (const std::string& name : compiled.replicated_keys) {
    if (contains(compiled.data, name)) continue;
    unknown_name(ErrorKind::name, "E0606", "data input", name, "", names_of(compiled.data));
  }
}

void agree_on_sizes(const CompiledState& compiled, const std::vector<Tensor>& inputs) {
  if (!is_distributed(compiled)) return;
  const std::vector<bool> sharded = sharded_inputs(compiled, compiled.graph);
  AgreementEntries entries;
  for (const NamedIndex& key : compiled.data) {
    const Value& value = compiled.graph.value(compiled.graph.inputs()[key.index]);
    const Dims& dims = inputs[key.index].dims();
    const size_t rank = std::min(value.dims.size(), dims.size());  // safe_shapes=False: may differ
    for (size_t axis = sharded[key.index] ? 1 : 0; axis < rank; ++axis) {
      if (resolve(value.dims[axis]).is_constant()) continue;
      entries.emplace_back(fmt::format("size {} of '{}'", axis, key.name),
                           std::to_string(dims[axis]));
    }
  }
  if (!entries.empty()) agree(*compiled.group, "a step", entries);
}

Graph local_program(const CompiledState& compiled, const Graph& graph) {
  if (!is_distributed(compiled)) return graph;
  agree_on_program(compiled, graph);
  return place(graph, options_for(compiled, graph)).graph;
}

Graph local_program(const CompiledState& compiled, const TrainingGraph& step) {
  if (!is_distributed(compiled)) return step.graph;
  agree_on_program(compiled, step.graph);
  PlacementOptions options = options_for(compiled, step.graph);
  options.partial_inputs.resize(step.graph.inputs().size());
  options.partial_outputs.resize(step.graph.outputs().size());
  for (const size_t sum : step.gradient_sums) options.partial_inputs[sum] = true;
  for (const Donation& donation : step.donations) {
    if (options.partial_inputs[donation.input]) options.partial_outputs[donation.output] = true;
  }
  const Graph placed = place(step.graph, options).graph;
  return compiled.shard_memory && !step.memory.empty() ? shard_memory(compiled, step, placed)
                                                       : placed;
}

std::optional<TensorBlock> memory_block(const CompiledState& compiled, const Dims& dims) {
  if (!is_distributed(compiled) || !compiled.shard_memory) return std::nullopt;
  const Communicator& group = *compiled.group;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] > 0 && dims[axis] % group.size() == 0)
      return TensorBlock{axis, group.rank(), group.size()};
  }
  return std::nullopt;
}

std::vector<Collective> collectives_of(const CompiledState& compiled, const Graph& graph) {
  if (!is_distributed(compiled)) return {};
  return place(graph, options_for(compiled, graph)).collectives;
}

}  // namespace mithril
