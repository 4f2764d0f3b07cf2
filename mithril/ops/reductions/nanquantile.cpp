// Quantiles of the elements that are not NaN.
#include "mithril/ops/support/quantiles.hpp"

namespace mithril {

OpDef define_nanquantile() {
  return {
      .name = "nanquantile",
      .doc =
          "The quantiles of the elements that are not NaN, as `quantile`. NaN if all elements are "
          "NaN.",
      .inputs = quantile_inputs(),
      .outputs = {{"output", "*o", "float"}},
      .solve = solve_quantile,
      .expand = [](ExpandContext& e) { expand_quantile(e, true); },
      .dtype_from = "input",
  };
}

}  // namespace mithril
