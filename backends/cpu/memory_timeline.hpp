// What is in memory while an execution plan runs.
#pragma once

#include "backends/cpu/execution_plan.hpp"
#include "mithril/backend/memory_timeline.hpp"

namespace mithril::cpu_backend {

MemoryTimeline timeline_of(const Graph& graph, const ExecutionPlan& plan);

}  // namespace mithril::cpu_backend
