// random_uniform: numbers drawn from a key, the same wherever they are drawn.
#include "mithril/graph/scan_batching.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/drawing.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void batch_random_uniform(BatchContext& c) {
  if (c.is_batched("key")) return batch_with_keys(c);
  c.become(call("random_uniform", {c.in("like"), c.in("key")}));
}

}  // namespace

OpDef define_random_uniform() {
  return {
      .name = "random_uniform",
      .doc =
          "Random numbers with the shape of `like`, uniform in [0, 1). The same `key` gives the "
          "same numbers.",
      .inputs = {{"like", "*s", "float"}, {"key", "", "int"}},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { draw_uniform(c, WholeTensor{}); },
      .not_differentiable = "random numbers do not depend on what they are shaped like",
      .batch = batch_random_uniform,
      .samples = samples_of_filled,
      .rows_drawn_by = "random_uniform_rows",
      .cast = CastPolicy::float32,  // rounded to fewer bits they would favour some results
      .spell = {{"jax", "random_uniform({like.shape}, {key}, {output.dtype})"},
                {"torch", "mithril::random_uniform(key, output.shape, output.dtype)"}},
  };
}

}  // namespace mithril
