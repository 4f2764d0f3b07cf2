// Shared by minimum and maximum: folding numbers, and the gradient, which equal operands share.
#pragma once
#include <algorithm>
#include <optional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/broadcasting.hpp"

namespace mithril {

// For two ints, known only if one is known to be at least the other.
inline std::optional<Datum> fold_extremum(Solver& s, const Datum& a, const Datum& b, bool largest) {
  if (is_float(a) || is_float(b)) {
    const auto x = real_of(s, a), y = real_of(s, b);
    if (!x || !y) return std::nullopt;
    return Datum(largest ? std::max(*x, *y) : std::min(*x, *y));
  }
  const Dim difference = resolve(dim_of(a) - dim_of(b));
  if (is_size(difference)) return largest ? a : b;
  if (is_size(Dim(0) - difference)) return largest ? b : a;
  s.await(difference);
  return std::nullopt;
}

// `beaten` compares an operand that is not the result with the other: "less" for maximum.
inline void flow_extremum(GradContext& g, const char* beaten) {
  auto flow = [&](const char* port, const char* other) {
    if (!g.needs(port)) return;
    const Expression own = g.in(port), dy = g.out_grad();
    const Expression tied = call("equal", {own, g.operand(other)});
    const Expression shared = call("where", {tied, dy * 0.5, dy});
    flow_summed(g, port, call("where", {call(beaten, {own, g.operand(other)}), 0.0, shared}));
  };
  flow("left", "right");
  flow("right", "left");
}

}  // namespace mithril
