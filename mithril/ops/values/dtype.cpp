// dtype: the dtype of a tensor as a value.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_dtype() {
  return {
      .name = "dtype",
      .doc =
          "The dtype of a tensor. While a model is composed, it is known only for bools; the width "
          "of ints and floats is decided later.",
      .inputs = {{"input", "*s", "any"}},
      .outputs = {value("output", "dtype")},
      .solve =
          [](Solver& s) {
            if (s.kind("input") != kind::bool_tensor) return false;
            s.set_value("output", DType::boolean);
            return true;
          },
  };
}

}  // namespace mithril
