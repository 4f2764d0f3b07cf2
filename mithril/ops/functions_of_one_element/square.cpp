// The square.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_square() {
  return {
      .name = "square",
      .doc = "input * input, elementwise.",
      .inputs = {{"input", "*s", "T=number"}},
      .outputs = {{"output", "*s", "T"}},
      .eval = [](EvalContext& c) { map1(c, [](auto x) { return wrapping(x) * wrapping(x); }); },
      .grad = [](GradContext& g) { g.flow("input", g.out_grad() * g.in("input") * 2); },
      .cast = CastPolicy::float32,  // as torch's, which is pow
      .integers = IntegerUse::bits,
      .spell = {{"jax", "jnp.square({input})"},
                {"onnx", "Mul(input, input)"},
                {"torch", "aten::square(input)"},
                {"c", "{input} * {input}"}},
  };
}

}  // namespace mithril
