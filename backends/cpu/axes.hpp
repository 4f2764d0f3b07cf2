// Axes that are walked: of a tensor, or several of its axes as one.
#pragma once

#include <cstdint>
#include <vector>

namespace mithril::cpu_backend {

struct Axis {
  int64_t size, step;  // in elements of the tensor
};

// Of the element that an index meets which counts through axes that stand outermost first.
inline int64_t offset(const std::vector<Axis>& axes, int64_t index) {
  int64_t at = 0;
  for (size_t axis = axes.size(); axis-- > 0;) {
    at += index % axes[axis].size * axes[axis].step;
    index /= axes[axis].size;
  }
  return at;
}

}  // namespace mithril::cpu_backend
