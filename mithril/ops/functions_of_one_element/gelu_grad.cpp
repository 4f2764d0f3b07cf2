// The gradient of gelu.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/gelu.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The distribution function of the normal distribution, and x times its density.
template <typename T>
T exact_slope(T x) {
  return (1 + std::erf(x * T(root_half))) / 2 + x * T(density_at_0) * std::exp(-x * x / 2);
}

template <typename T>
T approximate_slope(T x) {
  const T t = std::tanh(T(tanh_scale) * (x + T(tanh_cubic) * x * x * x));
  const T inner = T(tanh_scale) * (1 + 3 * T(tanh_cubic) * x * x);
  return (1 + t + x * (1 - t * t) * inner) / 2;
}

// The slope of the slope: the density times 2 - x**2.
Expression exact_curvature(const Expression& x) {
  const Expression square = x * x;
  return call("exp", {square * -0.5}) * density_at_0 * call("subtract", {2.0, square});
}

// (1 - t**2) * (u' + x * (u'' / 2 - t * u'**2)) for t = tanh(u).
Expression approximate_curvature(const Expression& x) {
  const Expression square = x * x;
  const Expression t = call("tanh", {(square * tanh_cubic + 1.0) * x * tanh_scale});
  const Expression first = (square * (3 * tanh_cubic) + 1.0) * tanh_scale;
  const Expression half_second = x * (3 * tanh_cubic * tanh_scale);
  return call("subtract", {1.0, t * t}) * (first + x * (half_second - t * first * first));
}

}  // namespace

OpDef define_gelu_grad() {
  return {
      .name = "gelu_grad",
      .doc = "The gradient of gelu: grad times the slope of gelu at `input`.",
      .internal = true,
      .inputs = {{"grad", "*s", "float"},
                 {"input", "*s", "float"},
                 value("approximate", "bool", false)},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const bool approximate = c.flag("approximate");
            map2_float(
                c,
                [approximate](auto dy, auto x) {
                  return dy * (approximate ? approximate_slope(x) : exact_slope(x));
                },
                "grad", "input");
          },
      .grad =
          [](GradContext& g) {
            const Expression x = g.in("input"), change = g.out_grad();
            const bool approximate = g.value("approximate").flag();
            if (g.needs("grad"))
              flow_summed(g, "grad", call("gelu_grad", {change, x, approximate}));
            if (!g.needs("input")) return;
            const Expression curvature =
                approximate ? approximate_curvature(x) : exact_curvature(x);
            flow_summed(g, "input", change * g.in("grad") * curvature);
          },
      .spell = {{"jax", "gelu_grad({grad}, {input}, {approximate})"},
                {"onnx", "gelu_grad(grad, input, approximate)"},
                {"torch", spell_call("aten::gelu_backward",
                                     {spell_as_output("grad"), spell_as_output("input"),
                                      "approximate=approximate ? \"tanh\" : \"none\""})},
                {"c",
                 "{approximate} ? {grad} * (1 + tanh(T(0.7978845608028654) * ({input} + "
                 "T(0.044715) * {input} * {input} * {input})) + {input} * (1 - "
                 "pow(tanh(T(0.7978845608028654) * ({input} + T(0.044715) * {input} * {input} * "
                 "{input})), 2)) * T(0.7978845608028654) * (1 + T(0.134145) * {input} * {input})) "
                 "/ 2 : {grad} * ((1 + erf({input} * T(0.7071067811865476))) / 2 + {input} * "
                 "T(0.3989422804014327) * exp(-{input} * {input} / 2))"}},
  };
}

}  // namespace mithril
