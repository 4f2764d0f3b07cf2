// Loops over single elements that are done with what a step makes, while it is in the cache.
#pragma once

#include "backends/cpu/context.hpp"
#include "backends/cpu/draft.hpp"
#include "backends/cpu/loop.hpp"

namespace mithril::cpu_backend {

// The step that makes the value which the loop reads at `place`, followed by the loop. The value
// stands where the loop writes what is in its place.
Draft finished(const Context& context, Draft step, const Draft& draft, const Loop& loop,
               const Overwrite& place);

}  // namespace mithril::cpu_backend
