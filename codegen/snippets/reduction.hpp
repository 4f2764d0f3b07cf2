// Reductions along some axes: which elements become one.
#pragma once
#include "codegen/snippets/axes.hpp"
#include "codegen/snippets/walk.hpp"

namespace mithril::snippets {

template <size_t rank>
using AxisSet = std::array<bool, rank>;

template <size_t rank>
AxisSet<rank> axis_set(None) {
  AxisSet<rank> all{};
  all.fill(true);
  return all;
}
template <size_t rank>
AxisSet<rank> axis_set(int64_t axis) {
  AxisSet<rank> set{};
  set[axis_of(axis, rank)] = true;
  return set;
}
template <size_t rank, size_t count>
AxisSet<rank> axis_set(const std::array<int64_t, count>& axes) {
  AxisSet<rank> set{};
  for (const int64_t axis : axes) set[axis_of(axis, rank)] = true;
  return set;
}

template <size_t rank>
struct Reduction {
  Dims<rank> kept, reduced, steps;  // sizes of both kinds of axes, with 1 for those of the other
  int64_t count = 1;                // elements that become one

  Reduction(const Dims<rank>& dims, const AxisSet<rank>& axes) : steps(strides(dims)) {
    for (size_t axis = 0; axis < rank; ++axis) {
      kept[axis] = axes[axis] ? 1 : dims[axis];
      reduced[axis] = axes[axis] ? dims[axis] : 1;
      count *= reduced[axis];
    }
  }

  // Calls body(to, first) for each element of the result and the first that becomes it.
  template <typename Body>
  void each_result(Body body) const {
    each_strided(kept, steps, 0, body);
  }
  // Calls body(from) for each element that becomes that one.
  template <typename Body>
  void each_element(int64_t first, Body body) const {
    each_strided(reduced, steps, first, [&](int64_t, int64_t from) { body(from); });
  }
};

}  // namespace mithril::snippets
