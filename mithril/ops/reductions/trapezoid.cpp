// trapezoid: the area below a line through points.
#include "mithril/ops/support/as_float.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Along the last axis, without its first element or without its last one.
Expression part(const Expression& e, const Datum& start, const Datum& stop) {
  return call("slice", {e, Datum(Tuple{start}), Datum(Tuple{stop}), Datum(), Datum::ints({-1})});
}

}  // namespace

OpDef define_trapezoid() {
  return {
      .name = "trapezoid",
      .doc =
          "The integral of y over x along the last axis, by the trapezoidal rule: sum((x[i + 1] - "
          "x[i]) * (y[i + 1] + y[i]) / 2).",
      .inputs = {{"y", "*b N", "any"}, {"x", "*b N", "any"}},
      .outputs = {{"output", "*b", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression y = as_float(e.in("y"), e.in("x")) * 0.5;
            const Expression x = as_float(e.in("x"), y) * 1.0;
            const Expression height = part(y, 1, None()) + part(y, None(), -1);
            const Expression width = part(x, 1, None()) - part(x, None(), -1);
            e.become(call("sum", {width * height, -1}));
          },
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
