// Hooks and debug output of a compiled model: observers of its running graphs.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "mithril/compile/hook.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril {

struct Hook {
  ValueId value;     // in the graph before the passes
  std::string path;  // as register_hook was given it
  bool gradient = false;
  HookFunction call;
  std::shared_ptr<std::atomic<bool>> active;
};

// Adds a `observe` node after every hooked value. Readers of the value read the node. A value
// without other readers becomes an output, after the others.
Graph with_hooks(const Graph& graph, const std::vector<Hook>& hooks);

// Calls the hooks at `observe` nodes. InputError E0810 if a hook returns a tensor of other dims or
// of another kind.
std::shared_ptr<const Observer> call_hooks(std::vector<Hook> hooks);

// Writes a line to standard error for every value, or quietly for the first one that is not finite,
// and then calls `next` (may be null). ValueError E0410 at the first NaN or infinity.
std::shared_ptr<const Observer> print_values(std::shared_ptr<const Observer> next, bool quiet);
// "1 NaN, 0 infinite"; empty if all elements are finite.
std::string non_finite_text(const Tensor& tensor);

}  // namespace mithril
