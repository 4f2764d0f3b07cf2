// Runs loops that do not depend on each other at the same time.
#pragma once

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// Joins loops of the same length, such as the directions of a recurrent layer, if none reads what
// another one makes, directly or through other steps, and all can run at one place. Each then runs
// in one thread, and their threads do not meet in each step. There are as many loops as threads, or
// their steps are too small for several threads. With a memory limit none are joined, because
// joined loops have their memory at the same time. Nor are loops in loops, because running_steps()
// counts the steps of one thread.
void join_concurrent_loops(const LoweringContext& context, LoweredGraph& lowered);

}  // namespace mithril::cpu_backend
