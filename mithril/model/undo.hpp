// Undoes changes of a model's tree if their attempt fails.
#pragma once
#include <utility>
#include <vector>

#include "mithril/infer/trail.hpp"

namespace mithril {

// Registers an action that undoes a change while an Attempt is open. Call it before the change,
// because registering may fail; the action must therefore also work if the change was never made.
// Actions must not allocate.
template <typename Action>
void on_undo(Action action) {
  if (Trail* trail = Trail::active()) trail->on_undo(std::move(action));
}

// Undoes additions to the list from now on. The list outlives the Attempt.
template <typename T>
void take_back_growth(std::vector<T>& list) {
  on_undo([&list, size = list.size()] {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(size), list.end());
  });
}

// Reserves room, so that the next push_back does not allocate.
template <typename T>
void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(2 * list.size() + 1);
}

}  // namespace mithril
