// The Gaussian error linear unit, in its exact form and with the tanh that approximates it.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/gelu.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

template <typename T>
T gelu(T x, bool approximate) {
  if (!approximate) return x / 2 * (1 + std::erf(x * T(root_half)));
  return x / 2 * (1 + std::tanh(T(tanh_scale) * (x + T(tanh_cubic) * x * x * x)));
}

}  // namespace

OpDef define_gelu() {
  return {
      .name = "gelu",
      .doc =
          "input * P(X <= input) for a standard normal X (https://arxiv.org/abs/1606.08415). "
          "approximate=True computes P with tanh.",
      .inputs = {{"input", "*s", "number"}, value("approximate", "bool", false)},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const bool approximate = c.flag("approximate");
            map1_float(c, [approximate](auto x) { return gelu(x, approximate); });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input",
                   call("gelu_grad", {g.out_grad(), g.in("input"), g.value("approximate")}));
          },
      .spell = {{"jax", "jax.nn.gelu({input}, approximate={approximate})"},
                {"onnx",
                 "output.dtype_name == \"float64\" ? gelu(input, approximate) : approximate ? "
                 "Gelu(input, approximate=\"tanh\") : Gelu(input)"},
                {"onnx<20", "gelu(input, approximate)"},
                {"torch", "aten::gelu(input, approximate=approximate ? \"tanh\" : \"none\")"},
                {"c",
                 "{approximate} ? {input} / 2 * (1 + tanh(T(0.7978845608028654) * ({input} + "
                 "T(0.044715) * {input} * {input} * {input}))) : {input} / 2 * (1 + erf({input} * "
                 "T(0.7071067811865476)))"}},
  };
}

}  // namespace mithril
