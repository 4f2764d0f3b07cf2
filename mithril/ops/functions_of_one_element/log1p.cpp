// The logarithm of 1 + x.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_log1p() {
  return {
      .name = "log1p",
      .doc = "log(1 + input), accurate for small input, too.",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::log1p(x); }); },
      .grad = [](GradContext& g) { g.flow("input", g.out_grad() / (g.in("input") + 1)); },
      .cast = CastPolicy::float32,
      .spell = {{"jax", "jnp.log1p({input})"},
                {"onnx", "log1p(input)"},
                {"torch", "aten::log1p(input)"},
                {"c", "log1p({input})"}},
  };
}

}  // namespace mithril
