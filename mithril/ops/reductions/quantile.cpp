// Quantiles.
#include "mithril/ops/support/quantiles.hpp"

namespace mithril {

OpDef define_quantile() {
  return {
      .name = "quantile",
      .doc =
          "The quantile `q`, from 0 to 1, of the elements along an axis, or of all elements "
          "(None), as torch.quantile. It is the element at position q * (n - 1) in sorted order; "
          "`interpolation` says how to compute it between two elements. A tuple or tensor q [Q] "
          "adds a first axis to the output. NaN if an element is NaN.",
      .inputs = quantile_inputs(),
      .outputs = {{"output", "*o", "float"}},
      .solve = solve_quantile,
      .expand = [](ExpandContext& e) { expand_quantile(e, false); },
      .dtype_from = "input",
  };
}

}  // namespace mithril
