// The element of each sample at the index of its class.
#include "mithril/ops/support/classes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_pick_class(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    each_class(c, c.dims("input"), [&](int64_t sample, int64_t at) { y[sample] = x[at]; });
  });
}

}  // namespace

OpDef define_pick_class() {
  return {
      .name = "pick_class",
      .doc = "output[n, ...] = input[n, index[n, ...], ...]. A class out of range is a ValueError.",
      .internal = true,
      .inputs = {{"input", "N C *s", "T=any"}, {"index", "N *s", "int"}},
      .outputs = {{"output", "N *s", "T"}},
      .eval = eval_pick_class,
      .grad =
          [](GradContext& g) {
            g.flow("input", call("place_class", {g.out_grad(), g.in("index"), g.in("input")}));
          },
      .separable = {"N", "*s"},
      .spell =
          {{"jax",
            "jnp.squeeze(jnp.take_along_axis({input}, jnp.expand_dims({index}, 1), axis=1), 1)"},
           {"onnx", "Squeeze(GatherElements(input, Unsqueeze(index.raw, [1]), axis=1), [1])"},
           {"torch", "aten::squeeze(aten::gather(input, 1, aten::unsqueeze(index, 1)), 1)"}},
  };
}

}  // namespace mithril
