// Rules for the samples of a batch that depend on the values of a node: `OpDef::samples`.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/op/sample_context.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril {

inline void couple_along(SampleContext& c, size_t axis) {
  c.couple("it mixes the elements along axis " + std::to_string(axis) +
           ", which holds the samples");
}

// The axis of the samples that all arguments with samples share, for ops whose tensors have the
// same rank; null after `couple`.
inline const SampleAxis* common_axis(SampleContext& c) {
  const SampleAxis* found = nullptr;
  for (size_t i = 0; i < c.size(); ++i) {
    if (!c.argument(i).is_each()) continue;
    if (found && !(*found == c.argument(i))) {
      c.couple("two axes that hold the samples meet");
      return nullptr;
    }
    found = &c.argument(i);
  }
  return found;
}

// Mixes elements along `axis` only. Tensors whose other dims are smaller, such as the index of
// take_along_axis, are read from the start of the other axes.
inline void samples_beside_axis(SampleContext& c) {
  const SampleAxis* at = common_axis(c);
  if (!at) return;
  const size_t rank = c.out().size();
  const std::vector<bool> mixed = axis_set(c.value("axis"), rank);
  if (mixed[at->axis]) return couple_along(c, at->axis);
  const int64_t size = c.out()[at->axis];
  for (size_t i = 0; i < c.output_count(); ++i) {
    if (c.out(i)[at->axis] % (at->outer * c.batch()) != 0)
      return c.couple("its output has another number of samples");
  }
  for (size_t i = 0; i < c.size(); ++i) {
    const Dims& dims = c.argument_dims(i);
    if (dims.size() == rank && dims[at->axis] != size)
      return c.couple("it reads a part of axis " + std::to_string(at->axis) +
                      ", which holds the samples");
  }
  c.put_all(*at);
}

// The axis after the reduced axes are gone; `reduced` holds none of it.
inline SampleAxis after_reduction(const SampleAxis& at, const std::vector<bool>& reduced,
                                  bool keepdim) {
  if (keepdim) return at;
  const auto gone = std::count(reduced.begin(), reduced.begin() + static_cast<long>(at.axis), true);
  return SampleAxis::along(at.axis - static_cast<size_t>(gone), at.outer);
}

inline void samples_of_reduction(SampleContext& c) {
  const SampleAxis at = c.in("input");
  const std::vector<bool> reduced = axis_set(c.value("axis"), c.dims("input").size());
  if (reduced[at.axis]) return couple_along(c, at.axis);
  c.put_all(after_reduction(at, reduced, c.value("keepdim").flag()));
}

// A reduction that adds up elements.
inline void samples_of_sum(SampleContext& c) {
  const SampleAxis at = c.in("input");
  const std::vector<bool> reduced = axis_set(c.value("axis"), c.dims("input").size());
  if (reduced[at.axis]) return c.add_up();
  c.put(after_reduction(at, reduced, c.value("keepdim").flag()));
}

// Batches of matrices, which broadcast and are mixed within.
inline void samples_of_matrices(SampleContext& c) {
  size_t from_end = 0;
  int64_t outer = 1;
  for (size_t i = 0; i < c.size(); ++i) {
    if (!c.argument(i).is_each()) continue;
    const size_t here = c.argument_dims(i).size() - c.argument(i).axis;
    if (here <= 2) return couple_along(c, c.argument(i).axis);
    if (from_end != 0 && (here != from_end || c.argument(i).outer != outer))
      return c.couple("two axes that hold the samples meet");
    from_end = here;
    outer = c.argument(i).outer;
  }
  c.put_all(SampleAxis::along(c.out().size() - from_end, outer));
}

// Output axis i is input axis order[i].
inline void samples_permuted(SampleContext& c, const std::vector<size_t>& order) {
  const SampleAxis at = c.in("input");
  const auto to = std::find(order.begin(), order.end(), at.axis) - order.begin();
  c.put(SampleAxis::along(static_cast<size_t>(to), at.outer));
}

// The input broadcasts to the output.
inline void samples_expanded(SampleContext& c) {
  const SampleAxis at = c.in("input");
  const Dims &from = c.dims("input"), &to = c.out();
  const size_t added = to.size() - from.size();
  for (size_t i = 0; i < to.size() && !at.is_each(); ++i) {
    if (i >= added && from[i - added] == to[i]) continue;
    for (const SampleAxis& alike : alike_along(i, to[i], c.batch())) c.offer(alike);
  }
  if (!at.is_each()) return c.put_all({});  // only `like` carries samples
  const size_t axis = at.axis + added;
  if (to[axis] != from[at.axis]) return c.couple("it repeats the axis that holds the samples");
  c.put(SampleAxis::along(axis, at.outer));
}

// The samples of ops that fill a tensor, or draw each element by itself.
inline void samples_of_filled(SampleContext& c) {
  for (size_t axis = 0; axis < c.out().size(); ++axis) {
    for (const SampleAxis& at : alike_along(axis, c.out()[axis], c.batch())) c.offer(at);
  }
}

// The samples of ops whose elements depend on their place along the axes.
inline void samples_by_place(SampleContext& c) {
  for (const int64_t size : c.out()) {
    if (spans_batch(size, c.batch())) c.depend_on_place();
  }
}

// Slices and their gradients; the whole batch in order is not a slice.
inline void samples_of_slice(SampleContext& c) {
  const SampleAxis at = c.in("input");
  if (!at.is_each()) return c.put_all({});  // only `like` carries samples
  const Datum &axes = c.value("axes"), &steps = c.value("steps");
  const size_t count = c.value("starts").tuple().size();
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = axes.is_none() ? i : axis_of(axes.tuple()[i].integer(), c.out().size());
    if (axis != at.axis) continue;
    const bool steps_by_one =
        steps.is_none() || steps.tuple()[i].is_none() || steps.tuple()[i].integer() == 1;
    if (!steps_by_one || c.out()[axis] != c.dims("input")[axis]) return couple_along(c, axis);
  }
  c.put(at);
}

}  // namespace mithril
