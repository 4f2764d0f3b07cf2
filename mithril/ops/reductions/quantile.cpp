// Quantiles.
#include "mithril/ops/support/quantiles.hpp"

namespace mithril {

OpDef define_quantile() {
  return {
      .name = "quantile",
      .doc =
          "The quantile `q` (0 to 1; a float, or a tuple or tensor [Q], whose axis is the "
          "first of the output) of the elements along an axis, or of all (None), as "
          "torch.quantile: "
          "the place q * (n - 1) among the sorted elements, between two of them by "
          "`interpolation`. NaN if an element is NaN.",
      .inputs = quantile_inputs(),
      .outputs = {{"output", "*o", "float"}},
      .solve = solve_quantile,
      .expand = [](ExpandContext& e) { expand_quantile(e, false); },
      .dtype_from = "input",
  };
}

}  // namespace mithril
