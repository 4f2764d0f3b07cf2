// random_uniform_rows: the part of random_uniform that belongs to some rows of a batch.
#include "mithril/ops/support/drawing.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_random_uniform_rows() {
  return {
      .name = "random_uniform_rows",
      .doc =
          "The numbers that random_uniform draws from `key` for a larger tensor, whose `axis` has "
          "`total` indices. The output has the shape of `like`, and begins at index `first` of "
          "that axis.",
      .internal = true,
      .inputs = {{"like", "*s", "float"},
                 {"key", "", "int"},
                 {"first", "", "int"},
                 {"total", "", "int"},
                 value("axis", "int")},
      .outputs = {{"output", "*s", "float"}},
      .eval = [](EvalContext& c) { draw_uniform(c, drawn_rows(c)); },
      .not_differentiable = "random numbers do not depend on what they are shaped like",
      .samples = samples_of_filled,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "unsupported: a group of processes does not run on JAX"},
                {"torch",
                 "mithril::random_uniform_rows(key, first, total, axis, output.shape, "
                 "output.dtype)"}},
  };
}

}  // namespace mithril
