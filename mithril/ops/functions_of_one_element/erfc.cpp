// The complement of the error function.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_erfc() {
  return {
      .name = "erfc",
      .doc = "1 - erf(input), accurate for large input, too.",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::erfc(x); }); },
      .grad =
          [](GradContext& g) {
            const double two_by_root_pi = 1.1283791670955126;
            const Expression x = g.in("input");
            g.flow("input", g.out_grad() * call("exp", {-(x * x)}) * -two_by_root_pi);
          },
      .spell = {{"jax", "lax.erfc({input})"},
                {"onnx", "Sub(1, Erf(input))"},
                {"torch", "aten::erfc(input)"},
                {"c", "erfc({input})"},
                {"loop", "unsupported: no vectorised complement of the error function"}},
  };
}

}  // namespace mithril
