// Loss: how far one distribution is from another.
#include "mithril/ops/support/as_float.hpp"
#include "mithril/ops/support/paired.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_kl_divergence() {
  return {
      .name = "kl_divergence",
      .doc =
          "target * (log(target) - log(input)), elementwise, for two distributions "
          "(https://en.wikipedia.org/wiki/Kullback-Leibler_divergence). The logarithms are robust: "
          "below `threshold` they continue as their tangent. threshold=None is the smallest normal "
          "number.",
      .inputs = {{"input", "*s", "number"},
                 {"target", "*s", "number"},
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "*s", "float"}},
      .expand =
          [](ExpandContext& e) {
            auto log = [&](const Expression& x) {
              return call("log", {x, true, e.operand("threshold")});
            };
            const Expression input = e.in("input");
            const Expression target = as_float(paired(e, "target", "input"), input);
            e.become(target * (log(target) - log(as_float(input, target))));
          },
      .cast = CastPolicy::float32,
      .objective = true,
  };
}

}  // namespace mithril
