// Logarithms of cumulative sums of exponentials.
#include <cmath>
#include <limits>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void eval_logcumsumexp(EvalContext& c) {
  const AxisView view = AxisView::along(c.dims("input"), c.integer("axis"));
  const auto x = c.read<double>("input");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t o = 0; o < view.outer; ++o) {
      for (int64_t i = 0; i < view.inner; ++i) {
        double top = -infinity, sum = 0;  // of exp(x - top)
        for (int64_t k = 0; k < view.size; ++k) {
          const int64_t at = view.at(o, k, i);
          const double next = x[at];
          if (next > top) {
            sum = sum * std::exp(top - next) + 1;
            top = next;
          } else {
            sum += next == top ? 1 : std::exp(next - top);
          }
          y[at] = static_cast<T>(top + std::log(sum));
        }
      }
    }
  });
}

// With y the output and dy its gradient, the gradient of x[i] is exp(x[i] - y[i]) s[i], where
// s[i] = dy[i] + exp(y[i] - y[i + 1]) s[i + 1]. The factor is 1 - exp(x[i + 1] - y[i + 1]).
void grad_logcumsumexp(GradContext& g) {
  const Datum& axis = g.value("axis");
  const Expression x = g.in("input"), y = g.out(), dy = g.out_grad();
  const Expression is_zero = call("equal", {y, -infinity});
  const Expression share = call("where", {is_zero, -infinity, x - y});
  const Expression factor = -call("expm1", {share});
  const Expression after = call("linear_scan", {factor * dy, factor, axis, true, true});
  g.flow("input", call("exp", {share}) * (dy + after));
}

}  // namespace

OpDef define_logcumsumexp() {
  return {
      .name = "logcumsumexp",
      .doc = "log(cumsum(exp(input))) along an axis.",
      .inputs = {{"input", "*s", "float"}, value("axis", "int", Datum(-1))},
      .outputs = {{"output", "*s", "float"}},
      .solve = check_axes,
      .eval = eval_logcumsumexp,
      .grad = grad_logcumsumexp,
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .spell = {{"jax", "logcumsumexp({input}, {axis})"},
                {"torch", "aten::logcumsumexp(input, axis)"}},
  };
}

}  // namespace mithril
