// The logarithm of the gamma function.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_lgamma() {
  return {
      .name = "lgamma",
      .doc = "log(|gamma(input)|).",
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { map1_float(c, [](auto x) { return std::lgamma(x); }); },
      .grad =
          [](GradContext& g) {
            g.flow("input", g.out_grad() * call("polygamma", {g.in("input"), 0}));
          },
      .spell = {{"jax", "lgamma({input})"},
                {"torch", "aten::lgamma(input)"},
                {"c", "lgamma({input})"},
                {"loop", "unsupported: no vectorised gamma function"}},
  };
}

}  // namespace mithril
