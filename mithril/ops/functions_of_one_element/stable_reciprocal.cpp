// The reciprocal, finite at 0.
#include <cmath>
#include <limits>

#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Its square has a finite reciprocal.
double reciprocal_threshold(const Datum& threshold, DType dtype) {
  if (!threshold.is_none()) return threshold.real();
  if (dtype == DType::float64) return 1.4916681462400413e-153;
  if (dtype == DType::float16) return 0x1p-7;
  return std::sqrt(static_cast<double>(std::numeric_limits<float>::min()));
}

}  // namespace

OpDef define_stable_reciprocal() {
  return {
      .name = "stable_reciprocal",
      .doc =
          "1 / input, finite at 0. Where |input| < threshold, it is the tangent at the threshold, "
          "which is 2 / threshold at 0. threshold=None is the square root of the smallest normal "
          "number, and ten times that for float64.",
      .inputs = {{"input", "*s", "number"}, value("threshold", "float|none", None())},
      .outputs = {{"output", "*s", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression given = e.in("input");
            const Expression x = is_floating(given.dtype()) ? given : given * 1.0;
            const double least = reciprocal_threshold(e.value("threshold"), e.dtype());
            const Expression near = call("less", {call("abs", {x}), least});
            const Expression side =
                call("where", {call("less", {x, 0}), fill_like(x, -2 / least), 2 / least});
            // Two divisions: the square of the threshold itself may underflow.
            const Expression tangent = side - x / least / least;
            const Expression far = call("divide", {1.0, call("where", {near, 1.0, x})});
            e.become(call("where", {near, tangent, far}));
          },
  };
}

}  // namespace mithril
