// rotary_factors: the factors of rotary embeddings.
#include <cmath>
#include <utility>

#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_rotary_factors(Solver& s) {
  const Datum* frequencies = s.value("frequencies");
  if (!frequencies) return false;
  if (!frequencies->is_none()) {
    s.set("P", static_cast<int64_t>(frequencies->tuple().size()));
    return true;
  }
  std::vector<Dim> dims;
  if (!s.shape("like", dims)) return false;
  s.set("P", floor_divide(dims.back(), 2));
  return true;
}

// 0, 1, ... for each pair of the last axis, in this dtype, and how many there are.
std::pair<Expression, Operand> pairs_of(ExpandContext& e, const Expression& like, DType dtype) {
  if (like.ranked()) {
    const Datum count(floor_divide(like.dims().back(), 2));
    return {e.make("arange", {count, 0, 1, Datum(dtype)}), count};
  }
  const Expression second = call(
      "slice", {like, Datum(Tuple{1}), Datum(Tuple{None()}), Datum(Tuple{2}), Datum(Tuple{-1})});
  const Expression pairs =
      call("cast", {call("positions", {call("swapaxes", {second, -1, -2})}), Datum(dtype)});
  return {pairs, call("sum", {fill_like(pairs, 1.0), Datum(None()), false})};
}

// [P], of this dtype.
Expression frequencies_of(ExpandContext& e, const Expression& like, DType dtype) {
  const Datum& given = e.value("frequencies");
  if (!given.is_none()) return e.make("to_tensor", {given, Datum(dtype)});
  const auto [pairs, count] = pairs_of(e, like, dtype);
  return call("exp", {pairs * -std::log(e.value("base").real()) / count});
}

// Half precision cannot represent the angles of far positions. They are computed in float32, or in
// float64 for embeddings of float64.
void expand_rotary_factors(ExpandContext& e) {
  const Expression like = e.in("like");
  const DType wide = like.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const Expression positions = call("cast", {e.in("positions"), Datum(wide)});
  const Expression angles = call("expand_dims", {positions, -1}) * frequencies_of(e, like, wide);
  e.become(call("cast", {call("cos", {angles}), Datum(like.dtype())}), 0);
  e.become(call("cast", {call("sin", {angles}), Datum(like.dtype())}), 1);
}

}  // namespace

OpDef define_rotary_factors() {
  return {
      .name = "rotary_factors",
      .doc =
          "cos and sin of position * frequency for each of the P pairs of the last axis of `like`, "
          "in its dtype. frequencies=None gives pair i the frequency base**(-i / P). Angles are "
          "computed in float32, or in float64 if `like` is float64.",
      .internal = true,
      .inputs = {{"positions", "*p", "int"},
                 {"like", "*s L D", "T=float"},
                 value("base", "int|float", 10000.0),
                 value("frequencies", "tuple|none", None())},
      .outputs = {{"cos", "*p P", "T"}, {"sin", "*p P", "T"}},
      .solve = solve_rotary_factors,
      .expand = expand_rotary_factors,
  };
}

}  // namespace mithril
