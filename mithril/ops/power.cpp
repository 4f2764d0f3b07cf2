// Power, of floats and of ints.
#include <cmath>
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// By squaring; `one` and the product are those of ints that wrap, or of dims.
template <typename T>
T whole_power(T one, T base, int64_t exponent) {
  T result = one;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base;
    if (exponent > 1) base = base * base;
  }
  return result;
}

template <typename T>
T power(T base, T exponent) {
  if constexpr (std::is_same_v<T, bool>) {
    return base || !exponent;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    if (exponent < 0) {
      raise({.kind = ErrorKind::value,
             .code = "E0404",
             .message = "power: an int has a negative exponent, " + std::to_string(exponent),
             .help = "make the base a float"});
    }
    return static_cast<T>(whole_power<uint64_t>(1, static_cast<uint64_t>(base), exponent));
  }
}

std::optional<Datum> folded_power(Solver& s, const Datum& base, const Datum& exponent) {
  if (is_float(base) || is_float(exponent)) {
    const auto x = real_of(s, base), y = real_of(s, exponent);
    if (!x || !y) return std::nullopt;
    const double result = std::pow(*x, *y);
    if (!std::isnan(result)) return Datum(result);
    s.reject("a power that is not a real number", "a base that is not negative", to_string(base));
  }
  int64_t number = 0;
  if (!s.number(dim_of(exponent), number)) return std::nullopt;
  if (number < 0) {
    s.reject("an int with a negative exponent", "an exponent of at least 0", to_string(exponent));
  }
  return Datum(whole_power(Dim(1), dim_of(base), number));
}

// exponent * base ** (exponent - 1), and 0 where the exponent is 0, whatever the base.
Expression slope_in_base(GradContext& g) {
  const Expression base = g.in("base");
  if (g.has("exponent")) {
    const Expression exponent = g.in("exponent");
    const Expression slope = call("power", {base, exponent - 1}) * exponent;
    return call("where", {call("equal", {exponent, 0}), 0.0, slope});
  }
  const Datum& exponent = g.value("exponent");
  if (is_float(exponent) ? exponent.real() == 0 : resolve(dim_of(exponent)).is_constant(0)) {
    return fill_like(base, 0);
  }
  const Datum less = is_float(exponent) ? Datum(exponent.real() - 1) : Datum(dim_of(exponent) - 1);
  return call("power", {base, less}) * exponent;
}

// output * log(base), and 0 where the base is 0 and the exponent is not negative.
Expression slope_in_exponent(GradContext& g) {
  const Expression exponent = g.in("exponent");
  const Expression base =
      g.has("base") ? g.in("base") : call("fill_like", {exponent, g.operand("base")});
  const Expression is_zero = call("equal", {base, 0});
  const Expression flat = call("logical_and", {is_zero, call("greater_equal", {exponent, 0})});
  return call("where", {flat, 0.0, g.out() * call("log", {base})});
}

}  // namespace

OpDef define_power() {
  return {
      .name = "power",
      .doc =
          "base ** exponent, an int for ints, whose exponents must not be negative; not of two "
          "bools.",
      .inputs = {{"base", "*a", "T=operand"}, {"exponent", "*b", "U=operand"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .where = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            return solve_operands<2>(s, {"base", "exponent"}, number_kinds,
                                     [&](auto& a, auto& b) { return folded_power(s, a, b); });
          },
      .eval =
          [](EvalContext& c) {
            map2(
                c, [](auto a, auto b) { return power(a, b); }, "base", "exponent");
          },
      .grad =
          [](GradContext& g) {
            if (g.needs("base")) flow_summed(g, "base", g.out_grad() * slope_in_base(g));
            if (!g.needs("exponent")) return;
            flow_summed(g, "exponent", g.out_grad() * slope_in_exponent(g));
          },
      .cast = CastPolicy::float32,
      .spell = {{"torch", "aten::pow(base, exponent)"}, {"c", "pow({base}, {exponent})"}},
  };
}

}  // namespace mithril
