// while_loop: a loop over a graph that a condition ends.
#include "mithril/graph/while_node.hpp"
#include "mithril/ops/loops/nested_results.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_while_loop() {
  return {
      .name = "while_loop",
      .doc =
          "Runs the graph `body` (docs/graph-text.md) while the graph `condition` gives true. "
          "Both read `arguments`: the carries, which the body makes anew, then values that every "
          "step reads. `results` are the dtypes and dims of the last carries.",
      .internal = true,
      .inputs = {list("arguments", "*each", "any"), value("condition", "str"), value("body", "str"),
                 value("results", "tuple")},
      .outputs = {list("outputs", "*made", "any")},
      .solve = solve_nested_results,
      .eval = evaluate_while,
      .grad = differentiate_while,
      .batch = batch_while,
      .dtype_from = "results",
      .outputs_from = "results",
      .cast = CastPolicy::lower,
      .spell = {{"jax", "jax.lax.while_loop({arguments})"},
                {"onnx", "Loop(arguments)"},
                {"torch", "unsupported: the backend runs the operators of the body in each step"}},
  };
}

}  // namespace mithril
