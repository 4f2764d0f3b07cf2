// The gradient of avg_pool2d.
#include <vector>

#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril {
namespace {

void eval_avg_pool2d_grad(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const PoolWindow window = pool_window(c, c.out().dims(), c.dims("grad"));
    const auto dy = c.read<T>("grad");
    std::vector<double> sums(static_cast<size_t>(c.out().size()));
    each_pooled(window, [&](int64_t from, int64_t to) {
      sums[static_cast<size_t>(from)] += static_cast<double>(dy[to]);
    });
    auto dx = c.write<T>();
    for (const double sum : sums) *dx++ = static_cast<T>(sum / static_cast<double>(window.taps()));
  });
}

std::string spell_avg_pool2d_grad(const SpellingContext& c) {
  return spell_pooling(c, "like", false, [&](const auto& window) {
    return spell_whole(
        spell_call("aten::avg_pool2d_backward",
                   {spell_planes("grad", c.dims("grad")), spell_planes("like", c.dims("like")),
                    window[0], window[1], window[2], "False", "True", "None"}),
        c.out());
  });
}

}  // namespace

OpDef define_avg_pool2d_grad() {
  return {
      .name = "avg_pool2d_grad",
      .doc =
          "The gradient of avg_pool2d: distributes each element of `grad` equally over its window. "
          "The output has the shape of `like`.",
      .internal = true,
      .inputs = pooling_inputs({{"grad", "*lead Ho Wo", "T=float"}, {"like", "*lead H W", "any"}},
                               "int|tuple"),
      .outputs = {{"output", "*lead H W", "T"}},
      .solve = solve_pool2d,
      .eval = eval_avg_pool2d_grad,
      .grad = [](GradContext& g) { g.flow("grad", pool(g, "avg_pool2d", {g.out_grad()})); },
      .separable = {"*lead"},
      .spell = {{"jax",
                 "avg_pool2d_grad({grad}, {like.shape}, {kernel_size}, {stride}, {padding}, "
                 "{dilation})"},
                {"onnx", "avg_pool2d_grad(grad, like, kernel_size, stride, padding, dilation)"},
                {"torch", "aten::avg_pool2d_backward of planes", spell_avg_pool2d_grad},
                {"cpu", "average_pool_grad(grad, like, kernel_size, stride, padding, dilation)"}},
  };
}

}  // namespace mithril
