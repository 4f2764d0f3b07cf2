// The exponential function minus 1.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_expm1() {
  return {
      .name = "expm1",
      .doc = "exp(input) - 1, accurate for small input, too.",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::expm1(x); }); },
      .grad = [](GradContext& g) { g.flow("input", g.out_grad() * (g.out() + 1)); },
      .cast = CastPolicy::float32,
      .spell = {{"jax", "jnp.expm1({input})"},
                {"onnx", "expm1(input)"},
                {"torch", "aten::expm1(input)"},
                {"c", "expm1({input})"}},
  };
}

}  // namespace mithril
