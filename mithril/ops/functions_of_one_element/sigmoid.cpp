// The logistic function.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The exponent is never positive, so there is no overflow.
template <typename T>
T sigmoid(T x) {
  const T small = std::exp(-std::abs(x));
  return x < 0 ? small / (1 + small) : 1 / (1 + small);
}

}  // namespace

OpDef define_sigmoid() {
  return {
      .name = "sigmoid",
      .doc = "1 / (1 + exp(-input)), elementwise.",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return sigmoid(x); }); },
      .grad =
          [](GradContext& g) {
            const Expression y = g.out();
            g.flow("input", g.out_grad() * y * call("subtract", {1.0, y}));
          },
      .spell = {{"jax", "jax.nn.sigmoid({input})"},
                {"onnx", "Sigmoid(input)"},
                {"torch", "aten::sigmoid(input)"},
                {"c", "1 / (1 + exp(-{input}))"}},
  };
}

}  // namespace mithril
