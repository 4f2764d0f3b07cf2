// The square root, of tensors and of numbers that are values.
#include <cmath>
#include <optional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/robust.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

std::optional<Datum> folded_root(Solver& s, const Datum& input) {
  const auto number = real_of(s, input);
  if (!number) return std::nullopt;
  if (*number < 0)
    s.reject("port 'input': the root of a negative number", "at least 0", to_string(input));
  return Datum(std::sqrt(*number));
}

// Below the threshold: the line through 0 that meets the root at the threshold.
template <typename T>
T robust_root(T x, T threshold) {
  x = std::abs(x);
  return x < threshold ? x / std::sqrt(threshold) : std::sqrt(x);
}

Expression robust_slope(GradContext& g) {
  const Expression x = g.in("input");
  const double threshold = robust_threshold(g);
  const Expression below = call("less", {call("abs", {x}), threshold});
  return call("sign", {x}) / call("where", {below, std::sqrt(threshold), g.out() * 2});
}

}  // namespace

OpDef define_sqrt() {
  return {
      .name = "sqrt",
      .doc =
          "The square root. robust=True takes the root of |input| and replaces it below "
          "`threshold` by a straight line through 0. threshold=None is the smallest normal number.",
      .inputs = {{"input", "*s", "operand"},
                 value("robust", "bool", false),
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "*s", "operand"}},
      .solve =
          [](Solver& s) {
            return solve_operands<1>(s, {"input"}, float_kinds,
                                     [&](auto& input) { return folded_root(s, input); });
          },
      .eval =
          [](EvalContext& c) {
            const bool robust = c.flag("robust");
            map1_float(c, [&](auto x) {
              return robust ? robust_root(x, robust_threshold<decltype(x)>(c)) : std::sqrt(x);
            });
          },
      .grad =
          [](GradContext& g) {
            const bool robust = g.value("robust").flag();
            g.flow("input", robust ? g.out_grad() * robust_slope(g) : g.out_grad() / (g.out() * 2));
          },
      .spell = {{"jax", "robust ? robust_sqrt({input}, {threshold}) : jnp.sqrt({input})"},
                {"onnx", "robust ? robust_sqrt(input, threshold) : Sqrt(input)"},
                {"torch", "robust ? unsupported : aten::sqrt(input)"},
                {"c", "{robust} ? unsupported : sqrt({input})"}},
  };
}

}  // namespace mithril
