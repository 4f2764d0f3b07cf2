// Arguments that say how often a model repeats a part.
#pragma once
#include "mithril/base/limits.hpp"
#include "mithril/models/library.hpp"

namespace mithril {

// The argument, from 1 to the limit `repetitions`. ValueError E0402.
inline int64_t repetitions(const CheckedArguments& arguments, std::string_view name) {
  const int64_t count = arguments.integer(name), most = limits().repetitions;
  if (count < 1) arguments.reject(name, "at least 1");
  if (count > most) arguments.reject(name, at_most_repetitions(most));
  return count;
}

}  // namespace mithril
