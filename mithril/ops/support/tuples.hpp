// Shared by to_tuple and to_list.
#pragma once
#include <string>

#include "mithril/infer/datum.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

// "output" is the tuple of the values at "input"; a known output determines them.
inline bool solve_packed(Solver& s) {
  const int count = s.count("input");
  if (const Datum* output = s.value("output")) {
    const Tuple& items = output->tuple();
    if (items.size() != static_cast<size_t>(count)) {
      s.reject("the output has another number of items", std::to_string(count), to_string(*output));
    }
    for (int k = 0; k < count; ++k) s.set_value("input", items[static_cast<size_t>(k)], k);
    return true;
  }
  Tuple items;
  for (int k = 0; k < count; ++k) {
    const Datum* item = s.value("input", k);
    if (!item) return false;
    items.push_back(*item);
  }
  s.set_value("output", Datum(items));
  return true;
}

}  // namespace mithril
