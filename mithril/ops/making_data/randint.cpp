// randint: ints drawn from a key, the same wherever they are drawn.
#include "mithril/graph/scan_batching.hpp"
#include "mithril/ops/support/drawing.hpp"
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
OpDef define_randint() {
  return {
      .name = "randint",
      .doc =
          "Random ints of the given shape, uniform in [low, high). The same `key` gives the same "
          "numbers.",
      .inputs = {value("shape", "tuple|int"),
                 {"key", "", "int|value int"},
                 value("low", "int"),
                 value("high", "int"),
                 value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "*o", "int"}},
      .solve = solve_randint,
      .eval = [](EvalContext& c) { draw_ints(c, WholeTensor{}); },
      .not_differentiable = "it has no float among its inputs",
      .batch = batch_with_keys,
      .dtype_from = "dtype",
      .samples = samples_of_filled,
      .rows_drawn_by = "randint_rows",
      .spell = {{"jax", "randint({shape}, {key}, {low}, {high}, {output.dtype})"},
                {"torch", "unsupported: torch draws other numbers from a seed"}},
  };
}

}  // namespace mithril
