// The exponential function.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_exp() {
  return {
      .name = "exp",
      .doc = "The exponential function of each element.",
      .inputs = {{"input", "*s", "any"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::exp(x); }); },
      .grad = [](GradContext& g) { g.flow("input", g.out_grad() * g.out()); },
      .cast = CastPolicy::float32,
      .spell = {{"jax", "jnp.exp({input})"},
                {"onnx", "Exp(input)"},
                {"torch", "aten::exp(input)"},
                {"c", "exp({input})"}},
  };
}

}  // namespace mithril
