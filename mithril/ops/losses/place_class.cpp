// Each sample at the index of its class, zeros elsewhere: the gradient of pick_class.
#include "mithril/ops/support/classes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_place_class(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    each_class(c, c.out().dims(), [&](int64_t sample, int64_t at) { y[at] = x[sample]; });
  });
}

}  // namespace

OpDef define_place_class() {
  return {
      .name = "place_class",
      .doc =
          "output[n, index[n, ...], ...] = input[n, ...], and 0 elsewhere, in the shape of `like`. "
          "A class out of range is a ValueError.",
      .internal = true,
      .inputs = {{"input", "N *s", "T=any"}, {"index", "N *s", "int"}, {"like", "N C *s", "any"}},
      .outputs = {{"output", "N C *s", "T"}},
      .eval = eval_place_class,
      .grad =
          [](GradContext& g) {
            g.flow("input", call("pick_class", {g.out_grad(), g.in("index")}));
          },
      .separable = {"N", "*s"},
      .spell = {{"jax", "place_class({input}, {index}, {like.shape})"},
                {"onnx", "place_class(input, index.raw, like.shape)"},
                {"torch",
                 "aten::scatter(aten::zeros_like(like, dtype=input.dtype), 1, "
                 "aten::unsqueeze(index, 1), "
                 "aten::unsqueeze(input, 1))"}},
  };
}

}  // namespace mithril
