// For the ops that compose loops and branches. The pass roll_loops replaces them by nodes that
// contain graphs.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/grad_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

// The `expand` of these ops, for one that no loop contains.
[[noreturn]] inline void refuse_outside_of_loops(ExpandContext&) {
  raise({.kind = ErrorKind::connection,
         .code = "E0130",
         .message = "this op belongs to a loop, and there is none around it",
         .help = "compose loops with Scan"});
}

[[noreturn]] inline void refuse_outside_of_branches(ExpandContext&) {
  raise({.kind = ErrorKind::connection,
         .code = "E0130",
         .message = "this op belongs to a choice between branches, and there is none around it",
         .help = "compose branches with Cond"});
}

// False if they differ for sure.
inline bool may_be_equal(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  const auto differ = [](const Dim& x, const Dim& y) {
    const Dim difference = resolve(resolve(x) - resolve(y));
    return difference.is_constant() && !difference.is_constant(0);
  };
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (differ(a[i], b[i])) return false;
  }
  return true;
}

// The place of the steps among `rank` axes.
inline size_t axis_of_steps(Solver& s, const Datum& axis, size_t rank) {
  const int64_t given = axis.integer(), count = static_cast<int64_t>(rank);
  if (given < -count || given >= count)
    s.reject("the axis of the steps is out of range",
             rank == 0 ? "a sequence with an axis" : "an axis of " + std::to_string(rank),
             std::to_string(given), ErrorKind::shape);
  return static_cast<size_t>(given < 0 ? given + count : given);
}

// States that a sequence has this many elements. The error of sequences of different lengths says
// what to do.
inline void same_steps(Solver& s, const Dim& elements, const Dim& steps) {
  try {
    s.same(elements, steps);
  } catch (const Error& error) {
    if (error.code() != "E0202" || !error.details().help.empty()) throw;
    ErrorDetails details = error.details();
    details.help =
        "the sequences of a loop have one length: cut the longer ones, or pad the shorter ones and "
        "give Scan the lengths of the samples: lengths=";
    raise(std::move(details));
  }
}

// States that `sequence` has the dims of `item`, and the steps along `axis`.
inline bool solve_axis_of_steps(Solver& s, std::string_view sequence, std::string_view item) {
  const Datum* axis = s.value("axis");
  if (!axis) return false;
  const Dim steps = s.dim("steps");
  std::vector<Dim> dims;
  if (s.shape(sequence, dims)) {
    const size_t at = axis_of_steps(s, *axis, dims.size());
    same_steps(s, dims[at], steps);
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at));
    s.set_shape(item, dims);
    return true;
  }
  dims.clear();
  if (!s.shape(item, dims)) return false;
  const size_t at = axis_of_steps(s, *axis, dims.size() + 1);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), steps);
  s.set_shape(sequence, dims);
  return true;
}

}  // namespace mithril
