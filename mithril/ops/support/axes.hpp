// Axes: counted from either end, checked, as lists and as sets; strides and indices of row-major
// tensors.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/op/solver.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

// In solve: checked.

// The axis counted from the start; rejects axes that the rank does not have: "axis 3 is out of
// range for rank 2". A rank below `least` counts as `least`.
inline size_t axis_of(Solver& s, int64_t axis, size_t rank, size_t least = 0) {
  const auto count = static_cast<int64_t>(std::max(rank, least));
  if (axis >= -count && axis < count) return static_cast<size_t>(axis < 0 ? axis + count : axis);
  const std::string message =
      "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank);
  if (count == 0) s.reject(message, "no axis", std::to_string(axis));
  s.reject(message, std::to_string(-count) + " to " + std::to_string(count - 1),
           std::to_string(axis));
}

// The axes of an int or a tuple of ints, in the given order, without repetition. None if a number
// is not known yet.
inline std::optional<std::vector<size_t>> axis_list(Solver& s, const Datum& axes, size_t rank,
                                                    size_t least = 0) {
  const Tuple items = axes.kind() == kind::tuple ? axes.tuple() : Tuple{axes};
  std::vector<size_t> list;
  std::vector<bool> seen(std::max(rank, least));
  for (const Datum& item : items) {
    if (item.kind() != kind::int_value)
      s.reject("an axis is not an int", "an int", to_string(item));
    int64_t axis = 0;
    if (!s.number(item.dim(), axis)) return std::nullopt;
    list.push_back(axis_of(s, axis, rank, least));
    if (seen[list.back()]) {
      s.reject("axis " + std::to_string(axis) + " is named twice", "each axis once",
               to_string(axes));
    }
    seen[list.back()] = true;
  }
  return list;
}

// The set of axes of an int, a tuple of ints or None, which means all. A tensor of rank 0 accepts
// the axes 0 and -1, as in PyTorch, which name no axis. None if a number is not known yet.
inline std::optional<std::vector<bool>> axis_set(Solver& s, const Datum& axes, size_t rank) {
  if (axes.is_none()) return std::vector<bool>(rank, true);
  const auto list = axis_list(s, axes, rank, 1);
  if (!list) return std::nullopt;
  std::vector<bool> set(std::max<size_t>(rank, 1));
  for (const size_t axis : *list) set[axis] = true;
  set.resize(rank);
  return set;
}

// In eval and grad, where solve has checked them.

inline size_t axis_of(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

inline std::vector<size_t> axis_list(const Datum& axes, size_t rank) {
  if (axes.kind() != kind::tuple) return {axis_of(axes.integer(), rank)};
  std::vector<size_t> list;
  for (const Datum& item : axes.tuple()) list.push_back(axis_of(item.integer(), rank));
  return list;
}

inline std::vector<bool> axis_set(const Datum& axes, size_t rank) {
  if (axes.is_none()) return std::vector<bool>(rank, true);
  std::vector<bool> set(rank);
  if (rank == 0) return set;
  for (const size_t axis : axis_list(axes, rank)) set[axis] = true;
  return set;
}

// The product of dims[from] to dims[to - 1].
inline int64_t product(const Dims& dims, size_t from, size_t to) {
  int64_t result = 1;
  for (size_t i = from; i < to; ++i) result *= dims[i];
  return result;
}

// The stride of each axis.
inline Dims strides(const Dims& dims) {
  Dims result(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) result[i - 1] = result[i] * dims[i];
  return result;
}

// Dims relative to one axis: element k of the row (o, i) is at (o * size + k) * inner + i.
struct AxisView {
  int64_t outer, size, inner;
  AxisView(const Dims& dims, size_t axis)
      : outer(product(dims, 0, axis)),
        size(dims[axis]),
        inner(product(dims, axis + 1, dims.size())) {}
  // A tensor of rank 0 is a row of one element.
  static AxisView along(const Dims& dims, int64_t axis) {
    return dims.empty() ? AxisView({1}, 0) : AxisView(dims, axis_of(axis, dims.size()));
  }
  int64_t at(int64_t o, int64_t k, int64_t i) const { return (o * size + k) * inner + i; }
};

}  // namespace mithril
