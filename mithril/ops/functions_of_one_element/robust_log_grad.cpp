// The gradient of the robust logarithm.
#include <algorithm>
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

template <typename T>
T divided(T grad, T x, T threshold) {
  const T size = std::max(std::abs(x), threshold);
  return x < 0 ? -grad / size : grad / size;
}

void differentiate_robust_log_grad(GradContext& g) {
  const Expression x = g.in("input"), dy = g.out_grad();
  const Operand threshold = g.operand("threshold");
  if (g.needs("grad")) flow_summed(g, "grad", call("robust_log_grad", {dy, x, threshold}));
  if (!g.needs("input")) return;
  const Expression straight = call("less", {call("abs", {x}), threshold});
  const Expression bent = -(dy * g.in("grad") / call("square", {x}));
  flow_summed(g, "input", call("where", {straight, 0.0, bent}));
}

}  // namespace

// The slope at 0 is that of the right side. On torch it is 0, as in its autograd for the absolute
// value.
OpDef define_robust_log_grad() {
  return {
      .name = "robust_log_grad",
      .doc =
          "The gradient of log with robust=True: grad * sign(input) / max(|input|, threshold). The "
          "sign at 0 is 1; on torch it is 0, as for the gradient of abs.",
      .internal = true,
      .inputs = {{"grad", "*s", "float"}, {"input", "*s", "float"}, value("threshold", "float")},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const double threshold = c.real("threshold");
            map2_float(
                c,
                [threshold](auto dy, auto x) {
                  return divided(dy, x, static_cast<decltype(x)>(threshold));
                },
                "grad", "input");
          },
      .grad = differentiate_robust_log_grad,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "robust_log_grad({grad}, {input}, {threshold})"},
                {"onnx", "robust_log_grad(grad, input, threshold)"},
                {"torch",
                 "aten::div(aten::mul(grad, aten::sign(input)), "
                 "aten::clamp_min(aten::abs(input), threshold))"},
                {"c",
                 "{input} < 0 ? -{grad} / max(abs({input}), {threshold}) "
                 ": {grad} / max(abs({input}), {threshold})"}},
  };
}

}  // namespace mithril
