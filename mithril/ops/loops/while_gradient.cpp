// while_gradient: the placeholder of the gradient of a while loop.
#include "mithril/graph/while_node.hpp"
#include "mithril/ops/loops/nested_results.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void evaluate(EvalContext& /*context*/) {
  MITHRIL_CHECK(false, "compile replaces the gradient of a loop without a bound, or refuses it");
}

}  // namespace

OpDef define_while_gradient() {
  return {
      .name = "while_gradient",
      .doc =
          "The placeholder of the gradients of a `while_loop` with respect to its arguments "
          "`wanted`. `arguments` also holds the incoming gradients of the carries `seeds`. Forward "
          "mode replaces it by a loop that computes tangents. Other uses are refused (E0501).",
      .internal = true,
      .inputs = {list("arguments", "*each", "any"), value("condition", "str"), value("body", "str"),
                 value("seeds", "tuple"), value("wanted", "tuple"), value("results", "tuple"),
                 value("result", "str")},
      .outputs = {list("outputs", "*made", "float")},
      .solve = solve_nested_results,
      .eval = evaluate,
      .grad = differentiate_while_gradient,
      .batch = batch_while_gradient,
      .dtype_from = "results",
      .outputs_from = "results",
      .cast = CastPolicy::lower,
  };
}

}  // namespace mithril
