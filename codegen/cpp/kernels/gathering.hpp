// Elements along an axis, chosen by index.
#pragma once
#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/numbers.hpp"

namespace mithril::snippets {

// Calls body(row, at): row number `row` of the gathered elements starts at element `at` of the
// input.
template <typename Index, typename Body>
void each_gathered(const AxisView& view, Index index, Body body) {
  const auto dims = dims_of(index);
  const int64_t count = product(dims, 0, dims.size());
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t k = 0; k < count; ++k) {
      const auto chosen = static_cast<int64_t>(element(index, k));
      if (chosen < -view.size || chosen >= view.size) fail("an index is out of range");
      body(o * count + k, view.at(o, chosen < 0 ? chosen + view.size : chosen, 0));
    }
  }
}

}  // namespace mithril::snippets
