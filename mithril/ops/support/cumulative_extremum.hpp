// Shared by cummax and cummin: the largest or smallest element so far, and its index.
#pragma once
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

inline std::vector<PortDef> cumulative_extremum_outputs() {
  return {{"values", "*s", "T"}, {"indices", "*s", "int"}};
}

// A tensor of rank 0 has no axis, as for sort.
inline bool solve_cumulative_extremum(Solver& s) {
  const Datum* axis = s.value("axis");
  int64_t position = 0;
  std::vector<Dim> dims;
  if (!axis || !s.number(axis->dim(), position) || !s.shape("input", dims)) return false;
  axis_of(s, position, dims.size());
  return true;
}

inline void expand_cumulative_extremum(ExpandContext& e, bool largest) {
  const Expression x = e.in("input");
  const Expression indices = call("cumulative_extremum", {x, e.value("axis"), largest});
  e.become(call("take_along_axis", {x, indices, e.value("axis")}), 0);
  e.become(indices, 1);
}

}  // namespace mithril
