// Convolution over two axes.
#include <vector>

#include "mithril/ops/support/batched_convolution.hpp"
#include "mithril/ops/support/convolution.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril {
namespace {

void eval_conv2d(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Total = Accumulator<T>;
    const auto x = c.read<T>("input"), weight = c.read<T>("weight");
    const Dims& out = c.out().dims();
    std::vector<Total> totals(static_cast<size_t>(c.out().size()));
    if (c.has("bias")) {
      const auto bias = c.read<T>("bias");
      const AxisView view(out, 1);
      for (size_t i = 0; i < totals.size(); ++i) {
        totals[i] = static_cast<Total>(bias[static_cast<int64_t>(i) / view.inner % view.size]);
      }
    }
    each_product(c, {c.dims("input"), c.dims("weight"), out},
                 [&](auto at, auto w, auto to, auto count, auto step) {
                   const auto factor = static_cast<Total>(weight[w]);
                   const T* from = x.begin() + at;
                   Total* total = totals.data() + to;
                   for (int64_t i = 0; i < count; ++i)
                     total[i] += static_cast<Total>(from[i * step]) * factor;
                 });
    auto y = c.write<T>();
    for (const Total total : totals) *y++ = static_cast<T>(total);
  });
}

void differentiate_conv2d(GradContext& g) {
  const std::vector<Operand> tensors = {g.out_grad(), g.in("input"), g.in("weight")};
  if (g.needs("input")) flow_summed(g, "input", convolve(g, "conv2d_input_grad", tensors));
  if (g.needs("weight")) flow_summed(g, "weight", convolve(g, "conv2d_weight_grad", tensors));
  if (g.needs("bias")) flow_summed(g, "bias", call("sum", {g.out_grad(), Datum::ints({0, 2, 3})}));
}

void batch_conv2d(BatchContext& c) {
  const bool many_biases = c.has("bias") && c.is_batched("bias");
  if (!c.is_batched("weight") && !many_biases) {
    if (!batch_by_patterns(c)) c.refuse("it has no batching rule for these inputs");
    return;
  }
  c.become(channels_divided(c, grouped_convolution(c, {"input"}, {"weight", "bias"})));
}

}  // namespace

OpDef define_conv2d() {
  return {
      .name = "conv2d",
      .doc =
          "2-D convolution (cross-correlation) of input [N, Ci, H, W] with weight [Co, Ci / "
          "groups, Kh, Kw], plus bias [Co]. `stride` and `dilation` are an int or one per axis. "
          "`padding` is a number of zeros: an int, one per axis, or (before, after) per axis.",
      .inputs = convolution_inputs({{"input", "N Ci H W", "number"},
                                    {"weight", "Co Cg Kh Kw", "float"},
                                    optional("bias", "Co", "float")},
                                   "int|tuple"),
      .outputs = {{"output", "N Co Ho Wo", "float"}},
      .solve = solve_convolution2d,
      .eval = eval_conv2d,
      .grad = differentiate_conv2d,
      .batch = batch_conv2d,
      .separable = {"N"},
      .cast = CastPolicy::lower,
      .spell = {{"jax",
                 "conv2d({input}, {weight}, {bias}, {stride}, {padding}, {dilation}, {groups})"},
                {"onnx", "conv2d(input, weight, bias, stride, padding, dilation, groups)"},
                {"torch", "aten::conv2d, of an input that is padded before where its ends differ",
                 spell_convolution},
                {"cpu", "convolution(input, weight, bias, stride, padding, dilation, groups)"}},
  };
}

}  // namespace mithril
