#include "backends/cpu/execution_plan.hpp"

#include <utility>

#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/fusion/concurrent_loops.hpp"
#include "backends/cpu/fusion/elementwise_groups.hpp"
#include "backends/cpu/fusion/epilogue.hpp"
#include "backends/cpu/fusion/row_fusion.hpp"
#include "backends/cpu/fusion/strided_inputs.hpp"
#include "backends/cpu/layout/assign_layouts.hpp"
#include "backends/cpu/lowering/lower_graph.hpp"
#include "backends/cpu/lowering/schedule.hpp"

namespace mithril::cpu_backend {
namespace {

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

}  // namespace

void ExecutionPlan::begin_loop(std::span<std::byte* const> bases) const {
  for (size_t step = 0; step < steps.size(); ++step) {
    if (!steps[step].step->keeps_scratch()) continue;
    std::byte* const scratch = bases.front() + memory.scratch[step];
    steps[step].step->begin_loop(BufferTable(memory.refs, bases, scratch, Direction::forward));
  }
}

template <typename RunStep>
void ExecutionPlan::run_all(const RunStep& run) const {
  StepTrace* const trace = current_trace();
  std::vector<TraceTicks> ticks(trace ? steps.size() + 1 : 0);
  if (trace) ticks.front() = trace_ticks();
  for (size_t step = 0; step < steps.size(); ++step) {
    run(step);
    if (trace) ticks[step + 1] = trace_ticks();
  }
  if (trace) trace->add_steps(traced_steps(), std::move(ticks));
}

void ExecutionPlan::run_nested(std::span<std::byte* const> bases, Direction direction) const {
  run_all([&](size_t step) {
    run_step(step, bases, steps[step].alternates_in_loops ? direction : Direction::forward);
  });
}

void ExecutionPlan::run_parts(std::span<std::byte* const> bases, Direction direction,
                              const PartRange& parts, std::byte* kept) const {
  run_all([&](size_t step) {
    const PlannedStep& planned = steps[step];
    std::byte* const arena = planned.step->keeps_scratch() ? kept : bases.front();
    planned.parts->run_parts(
        BufferTable(memory.refs, bases, arena + memory.scratch[step],
                    planned.alternates_in_loops ? direction : Direction::forward),
        parts);
  });
}

ExecutionPlan make_execution_plan(const Graph& graph, Plan shapes, const Config& config,
                                  PackedWeights& packed, const std::vector<bool>& observed) {
  ExecutionPlan plan{.shapes = std::move(shapes), .traced = std::make_unique<TracedPlan>(graph)};
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

  if (config.fuse && !config.observer) read_strided_inputs(context, lowered);
  dump("slices", [&] { return to_string(lowered, shaped); });

  if (config.fuse && !config.observer) fuse_rows(context, lowered);
  dump("rows", [&] { return to_string(lowered, shaped); });

  if (config.fuse && !config.observer) join_concurrent_loops(context, lowered);
  dump("loops", [&] { return to_string(lowered, shaped); });

  plan.row_cuts = find_row_cuts(shaped, lowered);
  plan.memory = plan_memory(shaped, lowered, donated, config.memory_limit);
  dump("memory", [&] { return to_string(plan.memory, lowered, shaped); });

  plan.steps = instantiate(context, lowered, plan.memory.refs);
  plan.constants = held_constants(shaped, lowered, plan.memory.refs, packed);
  plan.results = results_of(shaped, plan.memory.refs, plan.constants);
  dump("instantiate", [&] { return to_string(plan.steps, plan.results, shaped); });

  plan.native = native.library();
  if (config.native) plan.native_note = native.note();
  return plan;
}

}  // namespace mithril::cpu_backend
