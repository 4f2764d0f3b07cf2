// Reductions: their ports and shapes, iteration over reduced elements, and gradients.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/solver.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/broadcasting.hpp"

namespace mithril {

inline std::vector<PortDef> reduction_inputs(std::string_view type,
                                             std::string_view axis_kinds = "int|tuple|none") {
  return {{"input", "*s", type},
          value("axis", axis_kinds, Datum()),
          value("keepdim", "bool", Datum(false))};
}

// The shape of `to` is that of `from` without its reduced axes, or, with keepdim, with 1 in their
// place.
inline bool solve_reduction(Solver& s, std::string_view from = "input",
                            std::string_view to = "output") {
  const Datum* axis = s.value("axis");
  const Datum* keepdim = s.value("keepdim");
  if (!axis || !keepdim) return false;
  if (axis->is_none() && !keepdim->flag()) {
    s.set_shape(to, {});
    return true;
  }
  std::vector<Dim> whole, kept;
  const bool forward = s.shape(from, whole);
  if (!forward && !s.shape(to, kept)) return false;
  const size_t axes = axis->kind() == kind::tuple ? axis->tuple().size() : 1;
  // An input that is reduced along one axis to one element has rank 1 or 0.
  if (!forward && kept.empty() && axes == 1 && !keepdim->flag()) return false;
  const size_t rank = forward ? whole.size() : kept.size() + (keepdim->flag() ? 0 : axes);
  const auto reduced = axis_set(s, *axis, rank);
  if (!reduced) return false;
  if (!forward) {
    size_t next = 0;
    for (size_t i = 0; i < rank; ++i) {
      const bool gone = (*reduced)[i];
      whole.push_back(gone ? s.fresh() : kept[next]);
      if (!gone || keepdim->flag()) ++next;
    }
    s.set_shape(from, whole);
  }
  kept.clear();
  for (size_t i = 0; i < rank; ++i) {
    if (!(*reduced)[i]) {
      kept.push_back(whole[i]);
    } else if (keepdim->flag()) {
      kept.push_back(Dim(1));
    }
  }
  s.set_shape(to, kept);
  return true;
}

// For ops that add or multiply: a bool counts as an int.
inline bool solve_counting(Solver& s) {
  const bool shaped = solve_reduction(s);
  const Kinds input = s.kind("input");
  const Kinds output = s.kind("output");
  if (input == kind::float_tensor || output == kind::float_tensor) {
    s.narrow("input", kind::float_tensor);
    s.narrow("output", kind::float_tensor);
  } else if (input || output == kind::int_tensor) {
    s.narrow("input", kind::int_tensor | kind::bool_tensor);
    s.narrow("output", kind::int_tensor);
  }
  return shaped && (input || output);
}

// The axes are some of the input's.
inline bool check_axes(Solver& s) {
  const Datum* axis = s.value("axis");
  std::vector<Dim> dims;
  return axis && s.shape("input", dims) && axis_set(s, *axis, dims.size());
}

// The accumulator: double for floats, the value modulo 2^64 for integers.
template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

// Calls body(from, to) for every element of a tensor of these dims, in row-major order: `to` is the
// element of the result that it is reduced to.
template <typename Body>
void each_reduced(const Dims& dims, const Datum& axis, Body body) {
  const std::vector<bool> reduced = axis_set(axis, dims.size());
  Dims kept = dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (reduced[i]) kept[i] = 1;
  }
  each_broadcast<1>(dims, {&kept}, [&](int64_t from, auto& to) { body(from, to[0]); });
}

// output = fold over the reduced elements, starting with `start`; fold(total, element) changes the
// total.
template <typename Fold>
void fold_reduced(EvalContext& c, int start, Fold fold) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Total = Accumulator<T>;
    const auto x = c.read<T>("input");
    std::vector<Total> totals(static_cast<size_t>(c.out().size()), static_cast<Total>(start));
    each_reduced(c.dims("input"), c.value("axis"), [&](int64_t from, int64_t to) {
      fold(totals[static_cast<size_t>(to)], static_cast<Total>(x[from]));
    });
    auto y = c.write<T>();
    for (const Total total : totals) *y++ = static_cast<T>(total);
  });
}

// How many elements are reduced to one.
inline int64_t reduced_count(const Dims& dims, const Datum& axis) {
  const std::vector<bool> reduced = axis_set(axis, dims.size());
  int64_t count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (reduced[i]) count *= dims[i];
  }
  return count;
}

// The mean of the elements that are reduced to each output; NaN without elements.
inline std::vector<double> means(EvalContext& c, const Elements<double>& x) {
  std::vector<double> result(static_cast<size_t>(c.out().size()));
  each_reduced(c.dims("input"), c.value("axis"),
               [&](int64_t from, int64_t to) { result[static_cast<size_t>(to)] += x[from]; });
  const auto count = static_cast<double>(reduced_count(c.dims("input"), c.value("axis")));
  for (double& mean : result) mean /= count;
  return result;
}

// A gradient of the output, or the output itself, in the shape of `like`, which was reduced to it.
inline Expression expand_reduced(const GradContext& g, const Expression& input,
                                 const Expression& like) {
  return call("expand_reduced", {input, like, g.value("axis"), g.value("keepdim")});
}

}  // namespace mithril
