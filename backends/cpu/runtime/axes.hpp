// Axes of strided iteration: one axis of a tensor, or several axes merged into one.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

struct Axis {
  int64_t size, step;  // in elements of the tensor
};

// The offset, in elements, of element `index` in row-major order over the axes, outermost first.
inline int64_t offset(const std::vector<Axis>& axes, int64_t index) {
  int64_t at = 0;
  for (size_t axis = axes.size(); axis-- > 0;) {
    at += index % axes[axis].size * axes[axis].step;
    index /= axes[axis].size;
  }
  return at;
}

// The size of an axis, and the products of the sizes before it (outer) and after it (inner). A
// negative axis counts from the end.
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
