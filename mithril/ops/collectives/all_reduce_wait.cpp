// all_reduce_wait: waits for a reduction over the processes of a group.
#include "mithril/ops/support/collectives.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

std::string spell_all_reduce_wait(const SpellingContext& c) {
  std::string items;
  for (int k = 0; k < c.list_size(); ++k) {
    items +=
        (k == 0 ? "" : ", ") + ("_c10d_functional::wait_tensor(inputs[" + std::to_string(k)) + "])";
  }
  return "[" + items + "]";
}

}  // namespace

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
                {"torch", "_c10d_functional::wait_tensor of each", spell_all_reduce_wait},
                {"cpu", "all_reduce_wait(inputs)"}},
  };
}

}  // namespace mithril
