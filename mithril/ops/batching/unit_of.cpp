// unit_of: a tensor that is 1 at one element, for Jacobians.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_unit_of() {
  return {
      .name = "unit_of",
      .doc =
          "A tensor with the shape of `like` that is 1 at one element and 0 elsewhere. "
          "`stack_units` "
          "computes what follows for all elements.",
      .internal = true,
      .inputs = {{"like", "*s", "T=float"}},
      .outputs = {{"output", "*s", "T"}},
      .not_differentiable = "it is differentiated as a part of the whole Jacobian",
      .transform = true,
  };
}

}  // namespace mithril
