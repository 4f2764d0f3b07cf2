// Shared by concat, its gradient, split and einsum: the kind of several tensors, and shapes of
// tensors that are concatenated or split along an axis.
#pragma once
#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/sizes.hpp"

namespace mithril {

// The first rank that is known, of the whole or of a part. False: none.
inline bool joined_rank(Solver& s, std::string_view parts, std::string_view whole, size_t& rank) {
  std::vector<Dim> dims;
  bool known = s.shape(whole, dims);
  for (int k = 0; !known && k < s.count(parts); ++k) known = s.shape(parts, dims, k);
  rank = dims.size();
  return known;
}

// Without an axis all elements become one row.
inline bool solve_joined_flat(Solver& s, std::string_view parts, std::string_view whole) {
  std::vector<Dim> dims, sizes;
  bool known = true;
  for (int k = 0, count = s.count(parts); k < count; ++k) {
    dims.clear();
    known = s.shape(parts, dims, k) && known;
    sizes.push_back(product(dims));
  }
  s.set_shape(whole, {known ? sum_of(sizes) : s.fresh()});
  return known;
}

// States that the tensors at the list port `parts`, joined along "axis", make the one at `whole`.
inline bool solve_joined(Solver& s, std::string_view parts, std::string_view whole) {
  const Datum* axis = s.value("axis");
  if (!axis) return false;
  if (axis->is_none()) return solve_joined_flat(s, parts, whole);
  int64_t number = 0;
  size_t rank = 0;
  if (!s.number(axis->dim(), number) || !joined_rank(s, parts, whole, rank)) return false;
  const size_t at = axis_of(s, number, rank);
  std::vector<Dim> dims = fresh_dims(s, rank);
  std::vector<Dim> sizes;
  for (int k = 0, count = s.count(parts); k < count; ++k) {
    dims[at] = s.fresh();
    s.set_shape(parts, dims, k);
    sizes.push_back(dims[at]);
  }
  dims[at] = sum_of(sizes);
  s.set_shape(whole, dims);
  return true;
}

// The output has the widest kind of all tensors at the list port 'input': bool, int or float. Kinds
// are bits in this order.
inline bool solve_widest(Solver& s) {
  Kinds least = kind::bool_tensor, possible = 0;
  bool known = true;
  const auto up_to = [](Kinds most) { return static_cast<Kinds>(std::bit_ceil(most + 1u) - 1); };
  const Kinds whole = up_to(s.kinds("output"));
  for (int k = 0, count = s.count("input"); k < count; ++k) {
    s.narrow("input", whole, k);
    known = s.kind("input", k) != 0 && known;
    const Kinds kinds = s.kinds("input", k);
    least = std::max(least, static_cast<Kinds>(kinds & -kinds));
    possible |= kinds;
  }
  s.narrow("output", static_cast<Kinds>(possible & ~(least - 1u)));
  return known;
}

}  // namespace mithril
