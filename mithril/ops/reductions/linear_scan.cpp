// A linear recurrence along an axis.
#include <algorithm>
#include <vector>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_linear_scan(EvalContext& c) {
  const AxisView view = AxisView::along(c.dims("input"), c.integer("axis"));
  const bool reverse = c.flag("reverse"), exclusive = c.flag("exclusive");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input"), decay = c.read<T>("decay");
    auto y = c.write<T>();
    std::vector<double> states(static_cast<size_t>(view.inner));
    for (int64_t o = 0; o < view.outer; ++o) {
      std::fill(states.begin(), states.end(), 0.0);
      for (int64_t k = 0; k < view.size; ++k) {
        const int64_t row = view.at(o, reverse ? view.size - 1 - k : k, 0);
        for (int64_t i = 0; i < view.inner; ++i) {
          double& state = states[static_cast<size_t>(i)];
          const auto added = static_cast<double>(x[row + i]);
          const double next = k == 0 ? added : static_cast<double>(decay[row + i]) * state + added;
          y[row + i] = static_cast<T>(exclusive ? state : next);
          state = next;
        }
      }
    }
  });
}

// With h the inclusive result, dL/dh is the scan of the gradient from the other end; the gradient
// of the input is dL/dh, and the one of the decay dL/dh times the h before.
void grad_linear_scan(GradContext& g) {
  const Expression x = g.in("input"), decay = g.in("decay"), dy = g.out_grad();
  const Datum &axis = g.value("axis"), &reverse = g.value("reverse");
  const bool exclusive = g.value("exclusive").flag();
  const auto sums_after = [&](const Expression& of) {
    return call("linear_scan", {of, decay, axis, !reverse.flag(), true});
  };
  const Expression state_grad = exclusive ? sums_after(dy) : dy + sums_after(decay * dy);
  if (g.needs("input")) g.flow("input", state_grad);
  if (!g.needs("decay")) return;
  const Expression before =
      exclusive ? g.out() : call("linear_scan", {x, decay, axis, reverse, true});
  g.flow("decay", state_grad * before);
}

}  // namespace

OpDef define_linear_scan() {
  return {
      .name = "linear_scan",
      .doc =
          "output[t] = decay[t] * output[t - 1] + input[t] along an axis, with output[0] = "
          "input[0]: the scan of state space models (https://arxiv.org/abs/2312.00752). "
          "reverse=True begins at the end. exclusive=True returns the state before each step, "
          "which is 0 at first.",
      .inputs = {{"input", "*s", "float"},
                 {"decay", "*s", "float"},
                 value("axis", "int", Datum(-1)),
                 value("reverse", "bool", false),
                 value("exclusive", "bool", false)},
      .outputs = {{"output", "*s", "float"}},
      .solve = check_axes,
      .eval = eval_linear_scan,
      .grad = grad_linear_scan,
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "linear_scan({input}, {decay}, {axis}, {reverse}, {exclusive})"},
                {"onnx", "linear_scan(input, decay, axis, reverse, exclusive)"},
                {"torch", "mithril::linear_scan(input, decay, axis, reverse, exclusive)"},
                {"cpu", "linear_scan(input, decay, axis, reverse, exclusive)"}},
  };
}

}  // namespace mithril
