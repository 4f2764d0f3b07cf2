// Reductions along some axes.
#pragma once
#include <algorithm>
#include <vector>

#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/iteration.hpp"
#include "codegen/cpp/kernels/partial_sums.hpp"

namespace mithril::snippets {

template <size_t rank>
using AxisSet = std::array<bool, rank>;

template <size_t rank>
AxisSet<rank> axis_set(None) {
  AxisSet<rank> all{};
  all.fill(true);
  return all;
}
template <size_t rank, size_t count>
AxisSet<rank> axis_set(const std::array<int64_t, count>& axes) {
  AxisSet<rank> set{};
  if constexpr (rank > 0) {
    for (const int64_t axis : axes) set[axis_of(axis, rank)] = true;
  }
  return set;
}
template <size_t rank>
AxisSet<rank> axis_set(int64_t axis) {
  return axis_set<rank>(std::array<int64_t, 1>{axis});
}

template <size_t rank>
struct Reduction {
  Dims<rank> kept, reduced, steps;  // the sizes of kept and of reduced axes, with 1 for the others
  int64_t count = 1;                // the elements of one result
  size_t row_axis = rank;           // all axes from here on are reduced, or all are kept
  int64_t row;                      // contiguous elements along these axes
  bool along_rows = true;           // whether they are reduced

  Reduction(const Dims<rank>& dims, const AxisSet<rank>& axes) : steps(strides(dims)) {
    for (size_t axis = 0; axis < rank; ++axis) {
      kept[axis] = axes[axis] ? 1 : dims[axis];
      reduced[axis] = axes[axis] ? dims[axis] : 1;
      count *= reduced[axis];
    }
    if constexpr (rank > 0) along_rows = axes[rank - 1];
    while (row_axis > 0 && axes[row_axis - 1] == along_rows) --row_axis;
    row = product(dims, row_axis, rank);
  }

  // Calls body(to, first) for each element of the result and the first element that it reduces.
  template <typename Body>
  void each_result(Body body) const {
    each_strided(kept, steps, 0, body);
  }
  // Calls body(from) for each element that this result reduces.
  template <typename Body>
  void each_element(int64_t first, Body body) const {
    each_strided(reduced, steps, first, [&](int64_t, int64_t from) { body(from); });
  }

  // Calls put(to, total) for each element of the result and its sum. Parts of a row are summed
  // together, or rows are added to a row of totals.
  template <typename Total, typename X, typename Put>
  void each_sum(Tensor<X, rank> input, Put put) const {
    const auto without_row = [this](Dims<rank> dims) {
      for (size_t axis = row_axis; axis < rank; ++axis) dims[axis] = 1;
      return dims;
    };
    if (along_rows) {
      each_result([&](int64_t to, int64_t first) {
        Total total = 0;
        each_strided(without_row(reduced), steps, first, [&](int64_t, int64_t from) {
          total +=
              sum_of<Total>(row, [&](int64_t i) { return static_cast<Total>(input[from + i]); });
        });
        put(to, total);
      });
      return;
    }
    std::vector<Total> totals(static_cast<size_t>(row));
    each_strided(without_row(kept), steps, 0, [&](int64_t to, int64_t first) {
      std::fill(totals.begin(), totals.end(), Total(0));
      Total* const sums = totals.data();
      each_element(first, [&](int64_t from) {
        for (int64_t i = 0; i < row; ++i) sums[i] += static_cast<Total>(input[from + i]);
      });
      for (int64_t i = 0; i < row; ++i) put(to * row + i, sums[i]);
    });
  }
};

}  // namespace mithril::snippets
