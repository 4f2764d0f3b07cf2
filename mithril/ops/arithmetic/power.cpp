// Power, of floats and of ints.
#include <cmath>
#include <functional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/robust.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Computes a power by squaring. The multiplication is that of wrapping ints, or of dims.
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
    if (exponent < 0) {  // towards zero; 0 of 0 too
      if (base == T(-1)) return exponent % 2 == 0 ? T(1) : T(-1);
      return base == 1;
    }
    return static_cast<T>(whole_power<uint64_t>(1, static_cast<uint64_t>(base), exponent));
  }
}

// The power of |base|; below the threshold a straight line through 0 if the power would be steeper.
template <typename T>
T robust_power(T base, T exponent, T threshold) {
  base = std::abs(base);
  const bool steep = exponent < 1 - std::log(threshold) / std::log(base);
  return base < threshold && steep ? base / threshold : std::pow(base, exponent);
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

// Refuses an int base if the exponent is known to be negative. False: not known yet.
bool solve_negative_exponent(Solver& s) {
  const Datum* exponent = s.form("exponent") == kind::value ? s.value("exponent") : nullptr;
  if (!exponent || is_float(*exponent)) return true;
  const Dim number = resolve(dim_of(*exponent));
  if (!number.is_constant() || number.constant() >= 0) return true;
  const Kinds base = s.kind("base");
  if (base == kind::int_tensor) {
    s.reject("an int with a negative exponent", "an exponent of at least 0, or a base of floats",
             to_string(*exponent));
  }
  return base != 0;
}

// The base, converted to a float tensor.
Expression float_base(GradContext& g) {
  if (!g.has("base")) return call("fill_like", {g.in("exponent"), g.operand("base")});
  const Expression base = g.in("base");
  return is_floating(base.dtype()) ? base : call("cast", {base, Datum(g.out().dtype())});
}

// exponent * base ** (exponent - 1), and 0 if the exponent is 0.
Expression slope_in_base(GradContext& g, const Expression& base) {
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

// output * log(base), and 0 if the base is 0 and the exponent is not negative.
Expression slope_in_exponent(GradContext& g, const Expression& base) {
  const Expression is_zero = call("equal", {base, 0});
  const Expression rising = call("greater_equal", {g.in("exponent"), 0});
  const Expression flat = call("logical_and", {is_zero, rising});
  return call("where", {flat, 0.0, g.out() * call("log", {base})});
}

void flow_power(GradContext& g) {
  const Expression base = float_base(g);
  if (g.needs("base")) flow_summed(g, "base", g.out_grad() * slope_in_base(g, base));
  if (g.needs("exponent")) flow_summed(g, "exponent", g.out_grad() * slope_in_exponent(g, base));
}

void flow_robust_power(GradContext& g) {
  const Expression base = float_base(g);
  const Expression size = call("abs", {base});
  const double threshold = robust_threshold(g);
  const Expression ratio = call("divide", {std::log(threshold), call("log", {size})});
  const Expression steep = call("greater", {call("subtract", {1.0, ratio}), g.operand("exponent")});
  const Expression line = call("logical_and", {call("less", {size, threshold}), steep});
  if (g.needs("base")) {
    const Expression slope = call("where", {line, 1 / threshold, slope_in_base(g, size)});
    flow_summed(g, "base", g.out_grad() * slope * call("sign", {base}));
  }
  if (!g.needs("exponent")) return;
  const Expression slope = call("where", {line, 0.0, slope_in_exponent(g, size)});
  flow_summed(g, "exponent", g.out_grad() * slope);
}

}  // namespace

OpDef define_power() {
  return {
      .name = "power",
      .doc =
          "base ** exponent, elementwise. The result of two ints is an int; two bools are an "
          "error. An int base with a negative number as exponent is an error; with a tensor of "
          "negative ints the power is rounded towards zero, as in PyTorch: 2 ** -1 is 0. "
          "robust=True takes the power of |base| and replaces it below `threshold` by a straight "
          "line through 0 where the power is steeper. threshold=None is the smallest normal "
          "number.",
      .inputs = {{"base", "*a", "T=operand"},
                 {"exponent", "*b", "U=operand"},
                 value("robust", "bool", false),
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .shape_constraints = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            const bool solved =
                solve_operands<2>(s, {"base", "exponent"}, number_kinds,
                                  [&](auto& a, auto& b) { return folded_power(s, a, b); });
            return solve_negative_exponent(s) && solved;
          },
      .eval =
          [](EvalContext& c) {
            auto robust = [&](auto a, auto b) {
              return robust_power(a, b, robust_threshold<decltype(a)>(c));
            };
            auto plain = [](auto a, auto b) { return power(a, b); };
            if (c.flag("robust") && is_floating(c.out().dtype())) {
              map2_float(c, robust, "base", "exponent");
            } else {
              map2(c, plain, "base", "exponent");
            }
          },
      .grad =
          [](GradContext& g) { g.value("robust").flag() ? flow_robust_power(g) : flow_power(g); },
      .cast = CastPolicy::float32,
      .spell = {{"jax",
                 "robust ? robust_power({base}, {exponent}, {threshold}, {output.dtype}) : "
                 "power({base}, {exponent})"},
                {"onnx", "robust ? unsupported : power(base, exponent)"},
                {"torch", "robust ? unsupported : aten::pow(base, exponent)"},
                {"c", "{robust} ? unsupported : pow({base}, {exponent})"}},
  };
}

}  // namespace mithril
