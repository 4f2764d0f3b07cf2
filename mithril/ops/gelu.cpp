// The Gaussian error linear unit, in its exact form and with the tanh that approximates it.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

constexpr double root_half = 0.7071067811865476;     // sqrt(1 / 2)
constexpr double density_at_0 = 0.3989422804014327;  // 1 / sqrt(2 pi)
constexpr double tanh_scale = 0.7978845608028654;    // sqrt(2 / pi)
constexpr double tanh_cubic = 0.044715;

template <typename T>
T gelu(T x, bool approximate) {
  if (!approximate) return x / 2 * (1 + std::erf(x * T(root_half)));
  return x / 2 * (1 + std::tanh(T(tanh_scale) * (x + T(tanh_cubic) * x * x * x)));
}

// The distribution function of the normal distribution, and x times its density.
Expression exact_slope(const Expression& x) {
  const Expression cdf = (call("erf", {x * root_half}) + 1.0) * 0.5;
  const Expression density = call("exp", {x * x * -0.5}) * density_at_0;
  return cdf + x * density;
}

Expression approximate_slope(const Expression& x) {
  const Expression t = call("tanh", {(x * x * tanh_cubic + 1.0) * x * tanh_scale});
  const Expression inner = (x * x * (3 * tanh_cubic) + 1.0) * tanh_scale;
  return ((t + 1.0) + x * call("subtract", {1.0, t * t}) * inner) * 0.5;
}

}  // namespace

OpDef define_gelu() {
  return {
      .name = "gelu",
      .doc =
          "input * P(X <= input) for a standard normal X (https://arxiv.org/abs/1606.08415); "
          "approximate=True writes P with tanh.",
      .inputs = {{"input", "*s", "number"}, value("approximate", "bool", false)},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const bool approximate = c.flag("approximate");
            map1_float(c, [approximate](auto x) { return gelu(x, approximate); });
          },
      .grad =
          [](GradContext& g) {
            const Expression x = g.in("input");
            const bool approximate = g.value("approximate").flag();
            g.flow("input", g.out_grad() * (approximate ? approximate_slope(x) : exact_slope(x)));
          },
      .spell = {{"torch", "aten::gelu(input, approximate=approximate ? \"tanh\" : \"none\")"},
                {"c",
                 "{approximate} ? {input} / 2 * (1 + tanh(T(0.7978845608028654) * ({input} + "
                 "T(0.044715) * {input} * {input} * {input}))) : {input} / 2 * (1 + erf({input} * "
                 "T(0.7071067811865476)))"}},
  };
}

}  // namespace mithril
