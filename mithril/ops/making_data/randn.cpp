// randn: normally distributed numbers drawn from a key, the same wherever they are drawn.
#include "mithril/graph/scan_batching.hpp"
#include "mithril/ops/support/drawing.hpp"
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_randn() {
  return {
      .name = "randn",
      .doc =
          "Random numbers of the given shape, from a normal distribution with mean 0 and standard "
          "deviation 1. The same `key` gives the same numbers.",
      .inputs = {value("shape", "tuple|int"),
                 {"key", "", "int|value int"},
                 value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "*o", "float"}},
      .solve = [](Solver& s) { return solve_filled(s, kind::float_tensor); },
      .eval = [](EvalContext& c) { draw_normal(c, WholeTensor{}); },
      .not_differentiable = "it has no float among its inputs",
      .batch = batch_with_keys,
      .dtype_from = "dtype",
      .samples = samples_of_filled,
      .rows_drawn_by = "randn_rows",
      .spell = {{"jax", "randn({shape}, {key}, {output.dtype})"},
                {"torch", "unsupported: torch draws other numbers from a seed"}},
  };
}

}  // namespace mithril
