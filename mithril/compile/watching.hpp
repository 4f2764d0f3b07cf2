// Hooks and debug output of a compiled model: they look on while its graphs run.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "mithril/compile/hook.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril {

struct Hook {
  ValueId value;  // in the graph before the passes
  bool gradient = false;
  HookFunction call;
  std::shared_ptr<std::atomic<bool>> active;
};

// The graph with a `watch` node behind every hooked value, which whoever read the value reads. What
// only a hook looks at becomes an output, after the others.
Graph with_hooks(const Graph& graph, const std::vector<Hook>& hooks);

// Calls the hooks at `watch` nodes. InputError E0810 where one gives a tensor of other dims or of
// another kind.
std::shared_ptr<const Observer> call_hooks(std::vector<Hook> hooks);

// Writes a line to standard error about everything that is made, and then asks `next` (may be
// null). ValueError E0410 at the first NaN or infinity.
std::shared_ptr<const Observer> print_values(std::shared_ptr<const Observer> next);

}  // namespace mithril
