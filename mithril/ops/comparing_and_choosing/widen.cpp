// widen: at least float32, for arithmetic that half precision cannot hold.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_widen() {
  return {
      .name = "widen",
      .doc =
          "The input as floats of at least float32. Layers compute squares, sums and positions in "
          "this dtype, and `narrow` rounds their result.",
      .internal = true,
      .inputs = {{"input", "*s", "number"}},
      .outputs = {{"output", "*s", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            e.become(x.dtype() == e.dtype() ? x : call("cast", {x, Datum(e.dtype())}));
          },
      .dtype_from = "at least float32",
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
