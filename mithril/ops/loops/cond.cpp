// cond: a choice between two graphs.
#include "mithril/graph/cond_node.hpp"
#include "mithril/ops/loops/nested_results.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_cond() {
  return {
      .name = "cond",
      .doc =
          "Runs the graph `then` (docs/graph-text.md) if `condition` is true, the graph "
          "`otherwise` if it is false. Both read `arguments`, in their order. `results` are the "
          "dtypes and dims of what both make.",
      .internal = true,
      .inputs = {{"condition", "", "bool"},
                 list("arguments", "*each", "any"),
                 value("then", "str"),
                 value("otherwise", "str"),
                 value("results", "tuple")},
      .outputs = {list("outputs", "*made", "any")},
      .solve = solve_nested_results,
      .eval = evaluate_cond,
      .grad = differentiate_cond,
      .batch = batch_cond,
      .dtype_from = "results",
      .outputs_from = "results",
      .cast = CastPolicy::lower,
      .spell = {{"jax", "jax.lax.cond({condition}, {arguments})"},
                {"onnx", "If(condition, arguments)"},
                {"torch", "unsupported: the backend runs the operators of the branch"}},
  };
}

}  // namespace mithril
