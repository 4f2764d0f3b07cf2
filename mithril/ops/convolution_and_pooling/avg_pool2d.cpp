// The mean of each window over the last two axes.
#include <vector>

#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril {
namespace {

void eval_avg_pool2d(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const PoolWindow window = pool_window(c, c.dims("input"), c.out().dims());
    const auto x = c.read<T>("input");
    std::vector<double> sums(static_cast<size_t>(c.out().size()));
    each_pooled(window, [&](int64_t from, int64_t to) {
      sums[static_cast<size_t>(to)] += static_cast<double>(x[from]);
    });
    auto y = c.write<T>();
    for (const double sum : sums) *y++ = static_cast<T>(sum / static_cast<double>(window.taps()));
  });
}

std::string spell_avg_pool2d(const SpellingContext& c) {
  return spell_pooling(c, "input", false, [&](const auto& window) {
    const std::string planes = spell_planes("input", c.dims("input"));
    return spell_whole(spell_call("aten::avg_pool2d", {planes, window[0], window[1], window[2]}),
                       c.out());
  });
}

}  // namespace

OpDef define_avg_pool2d() {
  return {
      .name = "avg_pool2d",
      .doc =
          "The mean of each window over the last two axes. Padding counts as zeros. `kernel_size`, "
          "`stride` (None: the kernel size) and `dilation` are an int or one per axis. `padding` "
          "is an int, one per axis, or (before, after) per axis.",
      .inputs = pooling_inputs({{"input", "*lead H W", "number"}}, "int|tuple"),
      .outputs = {{"output", "*lead Ho Wo", "float"}},
      .solve = solve_pool2d,
      .eval = eval_avg_pool2d,
      .grad =
          [](GradContext& g) {
            g.flow("input", pool(g, "avg_pool2d_grad", {g.out_grad(), g.in("input")}));
          },
      .separable = {"*lead"},
      .spell = {{"jax", "avg_pool2d({input}, {kernel_size}, {stride}, {padding}, {dilation})"},
                {"onnx", "avg_pool2d(input, kernel_size, stride, padding, dilation)"},
                {"torch", "aten::avg_pool2d of planes", spell_avg_pool2d},
                {"cpu", "average_pool(input, kernel_size, stride, padding, dilation)"}},
  };
}

}  // namespace mithril
