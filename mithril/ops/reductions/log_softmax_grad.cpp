// The gradient of log_softmax.
#include <cmath>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/softmax.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_log_softmax_grad() {
  return {
      .name = "log_softmax_grad",
      .doc =
          "The gradient of log_softmax, given its output `result`: grad - exp(result) * sum(grad) "
          "along the axis.",
      .internal = true,
      .inputs = {{"grad", "*s", "float"},
                 {"result", "*s", "float"},
                 value("axis", "int", Datum(-1))},
      .outputs = {{"output", "*s", "float"}},
      .solve = check_softmax_grad,
      .eval =
          [](EvalContext& c) {
            map_softmax_grad(
                c, [](double dy, double) { return dy; },
                [](double dy, double y, double sum) { return dy - std::exp(y) * sum; });
          },
      .grad =
          [](GradContext& g) {
            const Expression y = call("exp", {g.in("result")}), change = g.out_grad();
            const Datum& axis = g.value("axis");
            const Expression weighted = change * y;
            if (g.needs("grad"))
              flow_summed(g, "grad", change - call("sum", {weighted, axis, true}));
            if (g.needs("result"))
              flow_summed(g, "result", -weighted * call("sum", {g.in("grad"), axis, true}));
          },
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "{grad} - jnp.exp({result}) * jnp.sum({grad}, axis={axis}, keepdims=True)"},
                {"onnx", "log_softmax_grad(grad, result, axis)"},
                {"torch", spell_call("aten::_log_softmax_backward_data",
                                     {spell_as_output("grad"), spell_as_output("result"), "axis",
                                      "output.dtype"})},
                {"cpu", "log_softmax_grad(grad, result, axis)"}},
  };
}

}  // namespace mithril
