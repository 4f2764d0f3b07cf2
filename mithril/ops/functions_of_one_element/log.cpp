// The natural logarithm.
#include <cmath>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/robust.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Below the threshold the tangent there.
template <typename T>
T robust_log(T x, T threshold) {
  x = std::abs(x);
  return x < threshold ? std::log(threshold) + x / threshold - 1 : std::log(x);
}

}  // namespace

OpDef define_log() {
  return {
      .name = "log",
      .doc =
          "The natural logarithm. robust=True takes the logarithm of |input| and continues it "
          "below `threshold` as its tangent at the threshold. threshold=None is the smallest "
          "normal number.",
      .inputs = {{"input", "*s", "any"},
                 value("robust", "bool", false),
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const bool robust = c.flag("robust");
            map1_float(c, [&](auto x) {
              return robust ? robust_log(x, robust_threshold<decltype(x)>(c)) : std::log(x);
            });
          },
      .grad =
          [](GradContext& g) {
            const Expression x = g.in("input");
            if (!g.value("robust").flag()) return g.flow("input", g.out_grad() / x);
            g.flow("input", call("robust_log_grad", {g.out_grad(), x, robust_threshold(g)}));
          },
      .cast = CastPolicy::float32,
      .spell = {{"jax", "robust ? robust_log({input}, {threshold}) : jnp.log({input})"},
                {"onnx", "robust ? robust_log(input, threshold) : Log(input)"},
                {"torch", "robust ? unsupported : aten::log(input)"},
                {"c", "{robust} ? unsupported : log({input})"}},
  };
}

}  // namespace mithril
