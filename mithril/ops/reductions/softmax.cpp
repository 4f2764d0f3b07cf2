// Softmax.
#include "mithril/ops/support/softmax.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_softmax() {
  return {
      .name = "softmax",
      .doc = "exp(input) / sum(exp(input)) along an axis.",
      .inputs = {{"input", "*s", "number"}, value("axis", "int", Datum(-1))},
      .outputs = {{"output", "*s", "float"}},
      .solve = check_axes,
      .eval =
          [](EvalContext& c) {
            map_softmax(c,
                        [](double x, double top, double sum) { return std::exp(x - top) / sum; });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("softmax_grad", {g.out_grad(), g.out(), g.value("axis")}));
          },
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "jax.nn.softmax({input}, axis={axis})"},
                {"onnx", "along(\"Softmax\", input, axis)"},
                {"torch", "aten::softmax(input, axis)"},
                {"cpu", "softmax(input, axis)"},
                {"rows",
                 "top = largest({input}); total = sum(exp({input} - {top})); "
                 "output = exp({input} - {top}) / {total}"}},
  };
}

}  // namespace mithril
