// Arguments of layers over several axes that are an int for all of them, or one for each.
#pragma once
#include <string>
#include <vector>

#include "mithril/models/library.hpp"

namespace mithril {

// The items of such an argument; rejects another number of them, and numbers below `least`.
inline std::vector<int64_t> axis_sizes(const CheckedArguments& arguments, const char* name,
                                       int64_t least, size_t axes = 2) {
  std::vector<int64_t> sizes = arguments.ints(name);
  if (sizes.size() == 1) sizes.resize(axes, sizes.front());
  if (sizes.size() != axes) {
    arguments.reject(name, axes == 1 ? "an int" : "an int or a tuple of " + std::to_string(axes));
  }
  for (const int64_t size : sizes) {
    if (size < least) arguments.reject(name, "at least " + std::to_string(least));
  }
  return sizes;
}

}  // namespace mithril
