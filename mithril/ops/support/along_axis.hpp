// Elements that are chosen along one axis, another one for each row: shapes, and indices checked
// against the axis.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/gathering.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/spelling.hpp"

namespace mithril {

inline std::string longer_index(size_t axis) {
  return "the index is longer than the input along axis " + std::to_string(axis);
}

// "index" has the rank of "input" and is not longer along the other axes.
inline bool solve_along_axis(Solver& s) {
  const Datum* axis = s.value("axis");
  int64_t position = 0;
  std::vector<Dim> in, index;
  const bool has_input = s.shape("input", in), has_index = s.shape("index", index);
  if (!axis || !s.number(axis->dim(), position) || !(has_input || has_index)) return false;
  if (!has_input) s.set_shape("input", in = fresh_dims(s, index.size()));
  if (!has_index) s.set_shape("index", index = fresh_dims(s, in.size()));
  if (in.size() != index.size()) {
    s.reject("the index has another rank than the input", "rank " + std::to_string(in.size()),
             "rank " + std::to_string(index.size()), ErrorKind::shape);
  }
  const size_t at = axis_of(s, position, in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const Dim whole = resolve(in[i]), part = resolve(index[i]);
    if (i == at || !whole.is_constant() || !part.is_constant()) continue;
    if (part.constant() > whole.constant()) {
      s.reject(longer_index(i), "at most " + to_string(whole), to_string(part), ErrorKind::shape);
    }
  }
  return true;
}

// Calls body(i, at) for each element i of "index": it chooses the element `at` of a tensor of the
// dims of "input".
template <typename Body>
void each_along_axis(EvalContext& c, Body body) {
  const Dims &whole = c.dims("input"), &part = c.dims("index");
  const size_t axis = axis_of(c.integer("axis"), whole.size());
  const auto index = c.read<int64_t>("index");
  Dims steps = strides(whole);
  const int64_t step = steps[axis], size = whole[axis];
  steps[axis] = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (i != axis && part[i] > whole[i])
      reject(c, longer_index(i), "at most " + std::to_string(whole[i]), std::to_string(part[i]));
  }
  each_strided(part, steps, 0, [&](int64_t i, int64_t at) {
    const int64_t chosen = index[i];
    if (chosen < -size || chosen >= size)
      reject(c, index_message(chosen, size), index_bounds(size), std::to_string(chosen));
    body(i, at + (chosen < 0 ? chosen + size : chosen) * step);
  });
}

// The axis, and the port "index" as torch wants it: int64, counted from the start.
inline std::vector<std::string> spell_along_axis(const SpellingContext& c) {
  const Dims& dims = c.dims("input");
  const size_t axis = axis_of(c.integer("axis"), dims.size());
  const std::string index = "aten::to(index, 4)";  // 4: int64
  return {spell_number(static_cast<int64_t>(axis)),
          spell_call("aten::where",
                     {spell_call("aten::lt", {index, "0"}),
                      spell_call("aten::add", {index, spell_number(dims[axis])}), index})};
}

}  // namespace mithril
