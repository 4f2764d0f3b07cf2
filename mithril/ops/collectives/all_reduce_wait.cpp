// all_reduce_wait: waits for a reduction over the processes of a group.
#include "mithril/ops/support/collectives.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_all_reduce_wait() {
  return {
      .name = "all_reduce_wait",
      .doc = "The results of `all_reduce_start`, once they are complete.",
      .internal = true,
      .inputs = {list("inputs", "*s", "any")},
      .outputs = {list("outputs", "*s", "any")},
      .solve = solve_exchanged,
      .eval = eval_mirrored_list,
      .not_differentiable = no_collective_gradient,
      .outputs_from = "inputs",
      .collective = true,
      .spell = {{"jax", "unsupported: a module of JAX runs in one process"},
                {"torch", "mithril::all_reduce_wait(inputs)"},
                {"cpu", "all_reduce_wait(inputs)"}},
  };
}

}  // namespace mithril
