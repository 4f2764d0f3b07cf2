// Loss: the absolute difference.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_absolute_error() {
  return {
      .name = "absolute_error",
      .doc = "|input - target|, element by element.",
      .inputs = {{"input", "*a", "T=any"}, {"target", "*b", "U=any"}},
      .outputs = {{"output", "*o", "promote(T, U)"}},
      .where = {"*o = broadcast(*a, *b)"},
      .solve =
          [](Solver& s) {
            s.narrow("output", kind::int_tensor | kind::float_tensor);  // bools have no difference
            return true;
          },
      .expand = [](ExpandContext& e) { e.become(call("abs", {e.in("input") - e.in("target")})); },
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
