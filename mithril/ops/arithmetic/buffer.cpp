// The identity, of tensors and of values.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_buffer() {
  return {
      .name = "buffer",
      .doc = "Returns the input, a tensor or a value, unchanged.",
      .inputs = {{"input", "*s", "T"}},
      .outputs = {{"output", "*s", "T"}},
      .solve =
          [](Solver& s) {
            const Kinds form = s.form("input");
            if (form != kind::value) return form != 0;
            s.set_shape("input", {});
            const Datum* input = s.value("input");
            if (input) s.set_value("output", *input);
            return input != nullptr;
          },
      .eval = [](EvalContext& c) { map1(c, [](auto x) { return x; }); },
      .grad = [](GradContext& g) { g.flow("input", g.out_grad()); },
      .linear = {"input"},
      .spell = {{"jax", "jnp.asarray({input}, {output.dtype})"},
                {"onnx", "input"},
                {"torch", "input"},
                {"c", "{input}"}},
  };
}

}  // namespace mithril
