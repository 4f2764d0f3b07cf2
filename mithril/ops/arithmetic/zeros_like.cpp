// zeros_like: zeros in the dims and the dtype of a tensor.
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_zeros_like() {
  return {
      .name = "zeros_like",
      .doc = "Zeros with the shape and the dtype of the input.",
      .inputs = {{"input", "*s", "T=any"}},
      .outputs = {{"output", "*s", "T"}},
      .expand = [](ExpandContext& e) { e.become(fill_like(e.in("input"), 0)); },
  };
}

}  // namespace mithril
