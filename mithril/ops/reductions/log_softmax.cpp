// Logarithm of softmax.
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/softmax.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_log_softmax() {
  return {
      .name = "log_softmax",
      .doc =
          "x - log(sum(exp(x))) along an axis: the logarithm of softmax, accurate also if softmax "
          "is near 0.",
      .inputs = {{"input", "*s", "number"}, value("axis", "int", Datum(-1))},
      .outputs = {{"output", "*s", "float"}},
      .solve = check_axes,
      .eval =
          [](EvalContext& c) {
            map_softmax(c,
                        [](double x, double top, double sum) { return x - top - std::log(sum); });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("log_softmax_grad", {g.out_grad(), g.out(), g.value("axis")}));
          },
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "jax.nn.log_softmax({input}, axis={axis})"},
                {"torch", "aten::log_softmax(input, axis)"},
                {"cpu", "log_softmax(input, axis)"},
                {"rows",
                 "top = largest({input}); total = sum(exp({input} - {top})); "
                 "output = {input} - {top} - log({total})"}},
  };
}

}  // namespace mithril
