// Shared by gather and its gradient: shapes, and indices checked against the axis.
#pragma once
#include <string_view>
#include <vector>

#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"

namespace mithril {

// States that `taken` has the dims of `source`, with the dims of "index" in place of "axis".
inline bool solve_gathered(Solver& s, std::string_view source, std::string_view taken) {
  const Datum* axis = s.value("axis");
  int64_t position = 0;
  const Kinds form = s.form("index");
  if (form == kind::value) s.set_shape("index", {});
  std::vector<Dim> index, in, out;
  if (!axis || !s.number(axis->dim(), position) || !form || !s.shape("index", index)) return false;
  if (!s.shape(source, in)) {
    if (!s.shape(taken, out)) return false;
    if (out.size() < index.size()) {
      s.reject("the output has too few axes", std::to_string(index.size()) + " or more",
               std::to_string(out.size()), ErrorKind::shape);
    }
    in = fresh_dims(s, out.size() + 1 - index.size());
    s.set_shape(source, in);
  }
  const auto at = static_cast<std::ptrdiff_t>(axis_of(s, position, in.size()));
  out.assign(in.begin(), in.begin() + at);
  out.insert(out.end(), index.begin(), index.end());
  out.insert(out.end(), in.begin() + at + 1, in.end());
  s.set_shape(taken, out);
  return true;
}

inline std::string index_message(int64_t index, int64_t size) {
  return "index " + std::to_string(index) + " is out of range for size " + std::to_string(size);
}
inline std::string index_bounds(int64_t size) {
  return size == 0 ? "no index" : std::to_string(-size) + " to " + std::to_string(size - 1);
}

// Rejects an index that an axis or a tuple of that size does not have.
inline void check_index(Solver& s, int64_t index, int64_t size) {
  if (index >= -size && index < size) return;
  s.reject(index_message(index, size), index_bounds(size), std::to_string(index));
}

// The same, once both are known; false before.
inline bool check_number(Solver& s, const Dim& index, const Dim& size) {
  int64_t at = 0, count = 0;
  if (!s.number(index, at) || !s.number(size, count)) return false;
  check_index(s, at, count);
  return true;
}

// Calls body(row, at, inner): row number `row` of the gathered elements, `inner` elements long,
// starts at element `at` of the source.
template <typename Body>
void each_gathered(EvalContext& c, const Dims& source, Body body) {
  const AxisView view(source, axis_of(c.integer("axis"), source.size()));
  const auto index = c.read<int64_t>("index");
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t k = 0; k < index.size(); ++k) {
      if (index[k] < -view.size || index[k] >= view.size) {
        reject(c, index_message(index[k], view.size), index_bounds(view.size),
               std::to_string(index[k]));
      }
      body(o * index.size() + k, view.at(o, index[k] < 0 ? index[k] + view.size : index[k], 0),
           view.inner);
    }
  }
}

}  // namespace mithril
