// The identity. The hooks of a compiled model observe its input.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_observe() {
  return {
      .name = "observe",
      .doc =
          "Returns the input. Hook number `hook` of a compiled model observes it, and hook number "
          "`gradient_hook` observes its gradient. -1 means no hook.",
      .internal = true,
      .inputs = {{"input", "*s", "T"}, value("hook", "int", -1), value("gradient_hook", "int", -1)},
      .outputs = {{"output", "*s", "T"}},
      .eval = copy_converted,
      .grad =
          [](GradContext& g) {
            const Datum& hook = g.value("gradient_hook");
            const bool observed = hook.integer() >= 0;
            g.flow("input", observed ? call("observe", {g.out_grad(), hook}) : g.out_grad());
          },
      .opaque = true,
      .spell = {{"jax", "{input}"},
                {"onnx", "input"},
                {"torch", "input"},
                {"c", "{input}"},
                {"loop", "unsupported: an observer reads its input"}},
  };
}

}  // namespace mithril
