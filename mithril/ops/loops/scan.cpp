// scan: a loop over a graph.
#include "mithril/graph/scan_batching.hpp"
#include "mithril/graph/scan_gradient.hpp"
#include "mithril/graph/scan_reference.hpp"
#include "mithril/ops/loops/nested_results.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_scan() {
  return {
      .name = "scan",
      .doc =
          "Runs the graph `body` (docs/graph-text.md) `length` times. Its inputs are those of "
          "one step, in the order of `arguments`: `carries` values that the step before has "
          "made, elements of `sequences` tensors along axis 0, and values that every step "
          "reads. Its outputs are the next carries, then the values that are stacked along "
          "axis 0. `results` are the dtypes and dims of the last carries and the stacks. With "
          "`reverse` the last step comes first. `numbers` say how hooks count the steps: the "
          "number of the first one, the number of the next one less that, and whether they are "
          "added to the number of the loop around it. None: 0, 1, ...",
      .internal = true,
      .inputs = {list("arguments", "*each", "any"), value("body", "str"), value("carries", "int"),
                 value("sequences", "int"), value("length", "int"), value("reverse", "bool"),
                 value("results", "tuple"), value("numbers", "tuple|none", Datum())},
      .outputs = {list("outputs", "*made", "any")},
      .solve = solve_nested_results,
      .eval = evaluate_scan,
      .grad = differentiate_scan,
      .batch = batch_scan,
      .dtype_from = "results",
      .outputs_from = "results",
      .cast = CastPolicy::lower,
      .spell = {{"jax", "jax.lax.scan({arguments})"},
                {"onnx", "Scan(arguments)"},
                {"torch", "unsupported: the backend runs the operators of the body in each step"}},
  };
}

}  // namespace mithril
