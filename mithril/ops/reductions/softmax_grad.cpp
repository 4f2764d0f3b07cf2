// The gradient of softmax.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/softmax.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_softmax_grad() {
  return {
      .name = "softmax_grad",
      .doc =
          "The gradient of softmax, given its output `result`: result * (grad - sum(grad * "
          "result)) along the axis.",
      .internal = true,
      .inputs = {{"grad", "*s", "float"},
                 {"result", "*s", "float"},
                 value("axis", "int", Datum(-1))},
      .outputs = {{"output", "*s", "float"}},
      .solve = check_softmax_grad,
      .eval =
          [](EvalContext& c) {
            map_softmax_grad(
                c, [](double dy, double y) { return dy * y; },
                [](double dy, double y, double sum) { return y * (dy - sum); });
          },
      .grad =
          [](GradContext& g) {
            const Expression dy = g.in("grad"), y = g.in("result"), change = g.out_grad();
            const Datum& axis = g.value("axis");
            if (g.needs("grad")) flow_summed(g, "grad", call("softmax_grad", {change, y, axis}));
            if (!g.needs("result")) return;
            const Expression sum = call("sum", {dy * y, axis, true});
            const Expression changed = call("sum", {change * y, axis, true});
            flow_summed(g, "result", change * (dy - sum) - dy * changed);
          },
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .spell = {{"jax",
                 "{result} * ({grad} - jnp.sum({grad} * {result}, axis={axis}, keepdims=True))"},
                {"onnx", "softmax_grad(grad, result, axis)"},
                {"torch", spell_call("aten::_softmax_backward_data",
                                     {spell_as_output("grad"), spell_as_output("result"), "axis",
                                      "output.dtype"})},
                {"cpu", "softmax_grad(grad, result, axis)"},
                {"rows", "total = sum({grad} * {result}); output = {result} * ({grad} - {total})"}},
  };
}

}  // namespace mithril
