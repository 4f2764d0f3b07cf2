// Takes a change of a model's tree back where the attempt that made it fails.
#pragma once
#include <utility>
#include <vector>

#include "mithril/infer/trail.hpp"

namespace mithril {

// Registers how to take back a change while an Attempt is open. Call it before the change, for
// registering may fail; the action then also runs where the change was never made. Actions allocate
// nothing.
template <typename Action>
void on_undo(Action action) {
  if (Trail* trail = Trail::active()) trail->on_undo(std::move(action));
}

// What is appended to the list from now on is taken back. The list outlives the Attempt.
template <typename T>
void take_back_growth(std::vector<T>& list) {
  on_undo([&list, size = list.size()] {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(size), list.end());
  });
}

// So that the next push_back allocates nothing.
template <typename T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(2 * list.size() + 1);
}

}  // namespace mithril
