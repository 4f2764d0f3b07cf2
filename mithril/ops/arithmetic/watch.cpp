// The identity, of tensors that somebody looks at: the hooks of a compiled model.
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_watch() {
  return {
      .name = "watch",
      .doc =
          "The input itself, shown to hook number `hook` of a compiled model, and its gradient "
          "to number `gradient_hook`; -1: to none.",
      .internal = true,
      .inputs = {{"input", "*s", "T"}, value("hook", "int", -1), value("gradient_hook", "int", -1)},
      .outputs = {{"output", "*s", "T"}},
      .eval = [](EvalContext& c) { map1(c, [](auto x) { return x; }); },
      .grad =
          [](GradContext& g) {
            const Datum& hook = g.value("gradient_hook");
            const bool shown = hook.integer() >= 0;
            g.flow("input", shown ? call("watch", {g.out_grad(), hook}) : g.out_grad());
          },
      .watched = true,
      .spell = {{"torch", "input"}, {"c", "{input}"}, {"loop", "unsupported: it shows its input"}},
  };
}

}  // namespace mithril
