// Takes a change of a model's tree back where the attempt that made it fails.
#pragma once
#include <utility>

#include "mithril/infer/trail.hpp"

namespace mithril {

// Registers how to take back a change while an Attempt is open.
template <typename Action>
void on_undo(Action action) {
  if (Trail* trail = Trail::active()) trail->on_undo(std::move(action));
}

}  // namespace mithril
