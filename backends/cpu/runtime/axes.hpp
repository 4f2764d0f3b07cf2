// Axes that are walked: of a tensor, or several of its axes as one.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "mithril/tensor/tensor.hpp"

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

// How many elements stand before an axis, along it and behind it; it counts from the end where it
// is negative.
struct AroundAxis {
  int64_t outer = 1, size = 1, inner = 1;

  AroundAxis(const Dims& dims, int64_t axis) {
    const auto at = static_cast<size_t>(axis < 0 ? axis + std::ssize(dims) : axis);
    size = dims[at];
    for (size_t i = 0; i < at; ++i) outer *= dims[i];
    for (size_t i = at + 1; i < dims.size(); ++i) inner *= dims[i];
  }
};

}  // namespace mithril::cpu_backend
