// randint_rows: the part of randint that belongs to some rows of a batch.
#include "mithril/ops/support/drawing.hpp"
#include "mithril/ops/support/samples.hpp"

namespace mithril {

OpDef define_randint_rows() {
  return {
      .name = "randint_rows",
      .doc =
          "The ints that randint draws from `key` for a larger tensor, whose `axis` has `total` "
          "indices. The output has the given shape, and begins at index `first` of that axis.",
      .internal = true,
      .inputs = {value("shape", "tuple|int"),
                 {"key", "", "int|value int"},
                 value("low", "int"),
                 value("high", "int"),
                 value("dtype", "dtype|none", Datum()),
                 {"first", "", "int"},
                 {"total", "", "int"},
                 value("axis", "int")},
      .outputs = {{"output", "*o", "int"}},
      .solve = solve_randint,
      .eval = [](EvalContext& c) { draw_ints(c, drawn_rows(c)); },
      .not_differentiable = "it has no float among its inputs",
      .dtype_from = "dtype",
      .samples = samples_of_filled,
      .spell = {{"jax", "unsupported: a group of processes does not run on JAX"},
                {"torch", "unsupported: torch draws other numbers from a seed"}},
  };
}

}  // namespace mithril
