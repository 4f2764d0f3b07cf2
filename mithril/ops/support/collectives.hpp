// Shared by collectives: the list of tensors of a node as one exchange for each dtype.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "mithril/distributed/communicator.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

inline constexpr const char* no_collective_gradient =
    "collectives are inserted after differentiation";

// States that each output has the dims and the kind of an input.
inline bool solve_mirrored_list(Solver& s) {
  bool known = true;
  std::vector<Dim> dims;
  for (int k = 0, count = s.count("inputs"); k < count; ++k) {
    dims.clear();
    const bool ranked = s.shape("inputs", dims, k);
    if (ranked) s.set_shape("outputs", dims, k);
    const Kinds kind = s.kind("inputs", k);
    if (kind != 0) s.narrow("outputs", kind, k);
    known = known && ranked && kind != 0;
  }
  return known;
}

// Copies the inputs to the outputs.
inline void eval_mirrored_list(EvalContext& c) {
  for (int k = 0; k < c.list_size(); ++k) {
    visit_dtype(c.out(k).dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto x = c.read<T>("inputs", k);
      std::copy(x.begin(), x.end(), c.write<T>(k));
    });
  }
}

}  // namespace mithril
