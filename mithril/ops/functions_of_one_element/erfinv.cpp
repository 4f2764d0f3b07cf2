// The inverse of the error function.
#include "mithril/ops/shared/inverse_erf.hpp"

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_erfinv() {
  return {
      .name = "erfinv",
      .doc = "The inverse of erf. It is infinite at -1 and 1, and NaN outside of [-1, 1].",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            map1_float(c, [](auto y) { return inverse_erf(static_cast<double>(y)); });
          },
      .grad =
          [](GradContext& g) {
            const double half_root_pi = 0.886226925452758;
            const Expression y = g.out();
            g.flow("input", g.out_grad() * call("exp", {y * y}) * half_root_pi);
          },
      .separable = {"*s"},
      .cast = CastPolicy::float32,
      .spell = {{"jax", "lax.erf_inv({input})"}, {"torch", "aten::erfinv(input)"}},
  };
}

}  // namespace mithril
