// Shared by ops with a list output that mirrors the list input, such as collectives.
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
inline bool solve_mirrored_list(Solver& s, std::string_view inputs, std::string_view outputs) {
  bool known = true;
  std::vector<Dim> dims;
  for (int k = 0, count = s.count(inputs); k < count; ++k) {
    dims.clear();
    const bool ranked = s.shape(inputs, dims, k);
    if (ranked) s.set_shape(outputs, dims, k);
    const Kinds kind = s.kind(inputs, k);
    if (kind != 0) s.narrow(outputs, kind, k);
    known = known && ranked && kind != 0;
  }
  return known;
}
inline bool solve_exchanged(Solver& s) { return solve_mirrored_list(s, "inputs", "outputs"); }

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
