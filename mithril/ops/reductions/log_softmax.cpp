// Logarithm of softmax.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/softmax.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_log_softmax() {
  return {
      .name = "log_softmax",
      .doc =
          "input - log(sum(exp(input))) along an axis. This is the logarithm of softmax, accurate "
          "where softmax is near 0, too.",
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
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "jax.nn.log_softmax({input}, axis={axis})"},
                {"onnx", "along(\"LogSoftmax\", input, axis)"},
                {"torch", "aten::log_softmax(input, axis)"},
                {"cpu", "log_softmax(input, axis)"},
                {"rows",
                 "top = largest({input}); total = sum(exp({input} - {top})); "
                 "output = {input} - {top} - log({total})"}},
  };
}

}  // namespace mithril
