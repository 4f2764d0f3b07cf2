// Shapes of ops that sort along an axis and may keep only the first elements.
#pragma once
#include <initializer_list>
#include <vector>

#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/sizes.hpp"

namespace mithril {

// `outputs` have the dims of "input", except that the axis is as long as `count` says; None: as
// long as it was.
inline bool solve_first(Solver& s, const char* count, std::initializer_list<const char*> outputs) {
  const Datum *axis = s.value("axis"), *kept = s.value(count);
  int64_t position = 0;
  std::vector<Dim> dims;
  if (!axis || !kept || !s.number(axis->dim(), position) || !s.shape("input", dims)) return false;
  const size_t at = axis_of(s, position, dims.size());
  bool done = true;
  if (!kept->is_none()) {
    const Dim size = dims[at];
    dims[at] = dims_of(s, *kept).front();
    int64_t most = 0, number = 0;
    done = s.number(size, most) && s.number(dims[at], number);
    if (done && number > most) {
      s.reject("there are fewer elements along the axis", "at most " + std::to_string(most),
               std::to_string(number));
    }
  }
  for (const char* output : outputs) s.set_shape(output, dims);
  return done;
}

}  // namespace mithril
