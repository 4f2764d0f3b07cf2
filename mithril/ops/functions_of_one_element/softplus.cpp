// A smooth relu.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The exponent is never positive, so there is no overflow.
template <typename T>
T softplus(T x) {
  return (x > 0 ? x : 0) + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace

OpDef define_softplus() {
  return {
      .name = "softplus",
      .doc = "log(1 + exp(input)), elementwise.",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return softplus(x); }); },
      .grad =
          [](GradContext& g) { g.flow("input", g.out_grad() * call("sigmoid", {g.in("input")})); },
      .cast = CastPolicy::float32,
      .spell = {{"jax", "jax.nn.softplus({input})"},
                {"onnx", "Softplus(input)"},
                {"torch", "aten::softplus(input, 1, 40)"},
                {"c", "({input} > 0 ? {input} : 0) + log1p(exp(-abs({input})))"}},
  };
}

}  // namespace mithril
