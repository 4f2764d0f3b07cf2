// The error function.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_erf() {
  return {
      .name = "erf",
      .doc = "The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to input.",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::erf(x); }); },
      .grad =
          [](GradContext& g) {
            const double two_by_root_pi = 1.1283791670955126;
            const Expression x = g.in("input");
            g.flow("input", g.out_grad() * call("exp", {-(x * x)}) * two_by_root_pi);
          },
      // In float32, because torch's kernel for bfloat16 on CPUs makes 0 of small elements.
      .spell = {{"jax", "lax.erf({input})"},
                {"onnx", "Erf(input)"},
                {"torch", "aten::erf(" + spell_wide("input", "input") + ")"},
                {"c", "erf({input})"}},
  };
}

}  // namespace mithril
