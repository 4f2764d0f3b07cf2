// The ports starts, stops, steps and axes of slice and of its gradient.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/op/eval_context.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/slicing.hpp"

namespace mithril {

// The slices that the ports starts, stops and steps say, one an item.
inline std::vector<Slice> slices_of(const Datum& starts, const Datum& stops, const Datum& steps) {
  std::vector<Slice> slices;
  for (size_t i = 0; i < starts.tuple().size(); ++i) {
    const Datum step = steps.is_none() ? Datum() : steps.tuple()[i];
    slices.push_back({starts.tuple()[i], stops.tuple()[i], step});
  }
  return slices;
}

// How slice walks the elements of a tensor of dims `whole`: from `start` on by steps[i] along axis
// i, `counts` of them.
struct SliceWalk {
  Dims counts, steps;
  int64_t start = 0;

  SliceWalk(const EvalContext& c, const Dims& whole) : counts(whole), steps(strides(whole)) {
    const auto slices = slices_of(c.value("starts"), c.value("stops"), c.value("steps"));
    const Datum& axes = c.value("axes");
    for (size_t i = 0; i < slices.size(); ++i) {
      const size_t axis = axes.is_none() ? i : axis_of(axes.tuple()[i].integer(), whole.size());
      const ItemRange range = range_of(slices[i], whole[axis]);
      counts[axis] = range.count;
      start += range.start * steps[axis];
      steps[axis] *= range.step;
    }
  }
};

// The axis of each slice: the leading ones if "axes" is None. None: not known yet.
inline std::optional<std::vector<size_t>> sliced_axes(Solver& s, const Datum& axes, size_t slices,
                                                      size_t rank) {
  const size_t count = axes.is_none() ? slices : axes.tuple().size();
  if (count != slices) {
    s.reject("axes and slices differ in number", std::to_string(slices) + " axes", to_string(axes));
  }
  if (!axes.is_none()) return axis_list(s, axes, rank);
  if (slices > rank) {
    s.reject("too many slices for rank " + std::to_string(rank), std::to_string(rank) + " or fewer",
             std::to_string(slices));
  }
  std::vector<size_t> leading;
  for (size_t i = 0; i < slices; ++i) leading.push_back(i);
  return leading;
}

// States that the tensor `taken` has the shape of the slices of the tensor `whole`.
inline bool solve_sliced(Solver& s, std::string_view whole, std::string_view taken) {
  const Datum *starts = s.value("starts"), *stops = s.value("stops"), *steps = s.value("steps");
  const Datum* axes = s.value("axes");
  if (!starts || !stops || !steps || !axes) return false;
  const size_t count = starts->tuple().size();
  if (stops->tuple().size() != count || (!steps->is_none() && steps->tuple().size() != count)) {
    s.reject("starts, stops and steps differ in length", std::to_string(count) + " items in each",
             to_string(*stops) + " and " + to_string(*steps));
  }
  std::vector<Dim> in, out;
  if (!s.shape(whole, in)) {
    if (!s.shape(taken, out)) return false;
    in = fresh_dims(s, out.size());
  }
  const auto sliced = sliced_axes(s, *axes, count, in.size());
  if (!sliced) return false;
  out = in;
  for (const size_t axis : *sliced) out[axis] = s.fresh();
  s.set_shape(whole, in);
  s.set_shape(taken, out);
  const std::vector<Slice> slices = slices_of(*starts, *stops, *steps);
  bool done = true;
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = (*sliced)[i];
    done = solve_slice_count(s, slices[i], in[axis], out[axis]) && done;
  }
  return done;
}

}  // namespace mithril
