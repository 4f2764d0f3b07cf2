#include "backends/cpu/execution_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/elementwise/program_step.hpp"
#include "backends/cpu/fusion/elementwise_groups.hpp"
#include "backends/cpu/fusion/epilogue.hpp"
#include "backends/cpu/fusion/row_fusion.hpp"
#include "backends/cpu/layout/assign_layouts.hpp"
#include "backends/cpu/lowering/lower_graph.hpp"
#include "backends/cpu/lowering/schedule.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

// A step that touches fewer bytes evicts little from the caches.
constexpr int64_t min_alternating_bytes = 1 << 17;

// The donations that are possible: the output occurs once among the outputs, and the input does
// not.
std::vector<DonatedBuffer> donated_values(const Graph& graph,
                                          const std::vector<Donation>& donations) {
  std::vector<int> times_output(graph.values().size());
  for (const Output& output : graph.outputs()) ++times_output[index(output.value)];
  std::vector<DonatedBuffer> donated;
  for (const Donation& at : donations) {
    const ValueId made = graph.outputs()[at.output].value, given = graph.inputs()[at.input];
    if (times_output[index(made)] == 1 && times_output[index(given)] == 0) {
      donated.push_back({made, given});
    }
  }
  return donated;
}

std::string to_string(const NodeGroups& groups, const ShapedGraph& shaped) {
  std::string text;
  for (const std::vector<size_t>& group : groups) {
    if (group.empty()) continue;
    text += "group:";
    for (const size_t node : group) {
      const Node& at = shaped.node(node);
      text += fmt::format(" {} = {}{}", shaped.graph().value(at.outputs.front()).name, at.op->name,
                          node == group.back() ? "\n" : ";");
    }
  }
  return text;
}

Traversal traversal(const ShapedGraph& shaped, const StepDescriptor& descriptor, const Step& step) {
  int64_t bytes = 0;
  for (const ValueId id : descriptor.reads) bytes += shaped.bytes(id);
  for (const ValueId id : descriptor.writes) bytes += shaped.bytes(id);
  if (bytes < min_alternating_bytes) return Traversal::small;
  return step.runs_backward() ? Traversal::either : Traversal::forward;
}

// The constants that steps read in their own layout or that a run returns. The others are packed.
std::vector<HeldConstant> held_constants(const ShapedGraph& shaped, const LoweredGraph& lowered,
                                         const BufferRefs& refs, PackedWeights& packed) {
  const Graph& graph = shaped.graph();
  const size_t first = 1 + graph.inputs().size(), end = first + graph.constants().size();
  std::set<size_t> read;
  const auto add = [&](ValueId id) {
    const auto base = static_cast<size_t>(refs[index(id)].base);
    if (base >= first && base < end) read.insert(base);
  };
  for (const StepDescriptor& step : lowered.steps) {
    std::for_each(step.reads.begin(), step.reads.end(), add);
  }
  for (const Output& output : graph.outputs()) add(output.value);
  std::vector<HeldConstant> held;
  for (const size_t base : read) {
    const ValueId id = graph.constants()[base - first].value;
    held.push_back({base, packed.plain(id, shaped.buffer_bytes(id))});
  }
  return held;
}

std::vector<Result> results_of(const ShapedGraph& shaped, const PlannedMemory& memory,
                               const std::vector<HeldConstant>& constants) {
  const Graph& graph = shaped.graph();
  const size_t inputs = graph.inputs().size();
  const size_t first_output = 1 + inputs + graph.constants().size();
  std::vector<Result> results;
  std::vector<size_t> result_of(memory.buffers - first_output, SIZE_MAX);
  for (const Output& output : graph.outputs()) {
    const ValueId id = output.value;
    const auto base = static_cast<size_t>(memory.refs[index(id)].base);
    MITHRIL_CHECK(base > 0 && base < memory.buffers, "an output of the graph is in the arena");
    if (base <= inputs) {
      results.push_back({Result::From::input, base - 1});
    } else if (base < first_output) {
      const auto at =
          std::find_if(constants.begin(), constants.end(),
                       [&](const HeldConstant& constant) { return constant.base == base; });
      results.push_back({Result::From::constant, static_cast<size_t>(at - constants.begin())});
    } else if (size_t& known = result_of[base - first_output]; known != SIZE_MAX) {
      results.push_back({Result::From::result, known});
    } else {
      known = results.size();
      results.push_back({Result::From::buffer, base, shaped.dtype(id), shaped.dims(id)});
    }
  }
  return results;
}

// Makes the elementwise steps of the descriptor. They depend on the native code and on the planned
// memory.
std::unique_ptr<Step> complete(StepDescriptor& descriptor, const LoweringContext& context,
                               const BufferRefs& refs) {
  const auto elementwise = [&](const ElementwiseProgram& program, int threads) {
    return make_elementwise_step(context, program, threads, refs);
  };
  if (descriptor.program) return elementwise(*descriptor.program, context.config.threads);
  if (descriptor.epilogue) {
    constexpr int threads = 1;  // of one tile
    static_cast<TiledStep&>(*descriptor.step).epilogue = elementwise(*descriptor.epilogue, threads);
  }
  for (StepDescriptor& member : descriptor.members) {
    // A descriptor with row partitions has a PartitionedStep.
    static_cast<GroupStep&>(*descriptor.step)
        .members.emplace_back(
            static_cast<PartitionedStep*>(complete(member, context, refs).release()));
  }
  return std::move(descriptor.step);
}

void instantiate(ExecutionPlan& plan, const LoweringContext& context, LoweredGraph& lowered) {
  if (context.native) context.native->build();
  for (StepDescriptor& descriptor : lowered.steps) {
    std::unique_ptr<Step> step = complete(descriptor, context, plan.memory.refs);
    const Traversal traverses = traversal(context.shaped, descriptor, *step);
    plan.steps.push_back({std::move(step), traverses, descriptor.nodes});
  }
  plan.constants = held_constants(context.shaped, lowered, plan.memory.refs, context.packed);
  plan.results = results_of(context.shaped, plan.memory, plan.constants);
}

}  // namespace

ExecutionPlan make_execution_plan(const Graph& graph, Plan shapes, const Config& config,
                                  PackedWeights& packed, const std::vector<bool>& observed) {
  ExecutionPlan plan{.shapes = std::move(shapes)};
  ShapedGraph shaped(graph, plan.shapes);
  const std::vector<DonatedBuffer> donated = donated_values(graph, config.donations);
  const std::vector<int> use_counts = count_uses(shaped, observed);
  NativeCode native;
  const LoweringContext context{.shaped = shaped,
                                .config = config,
                                .packed = packed,
                                .use_counts = use_counts,
                                .observed = observed,
                                .native = config.native ? &native : nullptr};
  const auto dump = [&](std::string_view pass, const auto& text) {
    if (config.dump) config.dump(pass, text());
  };

  if (!config.observer) shaped.set_layouts(assign_layouts(context));
  dump("layouts", [&] { return to_string(shaped); });

  NodeGroups groups = fuse_elementwise(context);
  dump("fusion", [&] { return to_string(groups, shaped); });

  groups = schedule(shaped, std::move(groups), donated);
  dump("schedule", [&] { return to_string(groups, shaped); });

  LoweredGraph lowered = lower(context, groups);
  dump("lowering", [&] { return to_string(lowered, shaped); });

  if (config.fuse) fuse_epilogues(context, lowered, donated);
  dump("epilogues", [&] { return to_string(lowered, shaped); });

  if (config.fuse && !config.observer) fuse_rows(context, lowered);
  dump("rows", [&] { return to_string(lowered, shaped); });

  plan.memory = plan_memory(shaped, lowered, donated, config.memory_limit);
  dump("memory", [&] { return to_string(plan.memory, lowered, shaped); });

  instantiate(plan, context, lowered);
  plan.native = native.library();
  if (config.native) plan.native_note = native.note();
  return plan;
}

}  // namespace mithril::cpu_backend
