// Derivatives of the logarithm of the gamma function.
#include "mithril/ops/shared/derivatives_of_gamma.hpp"

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_polygamma(Solver& s) {
  const Datum* order = s.value("order");
  int64_t number = 0;
  if (!order || !s.number(order->dim(), number)) return false;
  if (number < 0) s.reject("port 'order'", "at least 0", to_string(*order));
  return true;
}

}  // namespace

OpDef define_polygamma() {
  return {
      .name = "polygamma",
      .doc =
          "The derivative of order `order` of the digamma function. order=0 is the digamma "
          "function itself, which is the derivative of lgamma (https://dlmf.nist.gov/5.15).",
      .inputs = {{"input", "*s", "number"}, value("order", "int", Datum(0))},
      .outputs = {{"output", "*s", "float"}},
      .solve = solve_polygamma,
      .eval =
          [](EvalContext& c) {
            const int64_t order = c.integer("order");
            map1_float(c, [order](auto x) { return polygamma_of(order, static_cast<double>(x)); });
          },
      .grad =
          [](GradContext& g) {
            const int64_t order = g.value("order").integer();
            const Expression slope = call("polygamma", {g.in("input"), Datum(order + 1)});
            g.flow("input", g.out_grad() * slope);
          },
      // Torch's trigamma has nine digits, and its zeta takes no numbers of half precision.
      .separable = {"*s"},
      .spell = {{"jax", "polygamma({input}, {order})"},
                {"torch",
                 "order == 0 ? aten::digamma(input) : output.dtype_name == \"float16\" ? "
                 "aten::polygamma(order, input) : output.dtype_name == \"bfloat16\" ? "
                 "aten::polygamma(order, input) : order == 1 ? aten::special_zeta(2, input) : "
                 "aten::polygamma(order, input)"}},
  };
}

}  // namespace mithril
