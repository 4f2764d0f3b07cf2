// Loss: the squared difference.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_squared_error() {
  return {
      .name = "squared_error",
      .doc = "(input - target)², element by element.",
      .inputs = {{"input", "*a", "T=any"}, {"target", "*b", "U=any"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .where = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            s.narrow("output", kind::int_tensor | kind::float_tensor);  // bools have no difference
            return true;
          },
      .expand =
          [](ExpandContext& e) { e.become(call("square", {e.in("input") - e.in("target")})); },
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
