#include "backends/cpu/memory_timeline.hpp"

#include <algorithm>

#include "mithril/base/text.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {

MemoryTimeline timeline_of(const Graph& graph, const ExecutionPlan& plan) {
  MemoryTimeline timeline{.planned_bytes = plan.memory.arena_bytes + plan.memory.output_bytes};
  for (const TracedStep& step : *plan.traced_steps())
    timeline.steps.push_back({.name = step.name, .ops = join(step.ops, ", ")});
  std::vector<const OpDef*> makers(graph.values().size());
  for (const Node& node : graph.nodes()) {
    for (const ValueId id : node.outputs) makers[index(id)] = node.op;
  }
  const size_t first_output = 1 + graph.inputs().size() + graph.constants().size();
  for (const LiveValue& value : plan.memory.values) {
    const BufferRef ref = plan.memory.refs[index(value.id)];
    const bool is_own = static_cast<size_t>(std::max(ref.base, 0)) >= first_output;
    if (ref.base != 0 && !is_own) continue;  // in tiles, or in a donated input
    timeline.values.push_back(
        {.name = graph.value(value.id).name,
         .made_by = makers[index(value.id)]->name,
         .bytes = value.bytes,
         .first = static_cast<size_t>(value.first),
         .last = is_own ? plan.steps.size() - 1 : static_cast<size_t>(value.last),
         .offset = is_own ? -1 : ref.offset});
  }
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const int64_t bytes = plan.steps[i].step->scratch_bytes();
    if (bytes == 0) continue;
    timeline.values.push_back({.name = "scratch",
                               .made_by = timeline.steps[i].ops,
                               .bytes = bytes,
                               .first = i,
                               .last = i,
                               .offset = plan.memory.scratch[i]});
  }
  std::stable_sort(
      timeline.values.begin(), timeline.values.end(),
      [](const TimelineValue& a, const TimelineValue& b) { return a.first < b.first; });
  add_up(timeline);
  return timeline;
}

}  // namespace mithril::cpu_backend
