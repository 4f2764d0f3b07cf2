// The gradient of conv2d in its weight.
#include <vector>

#include "mithril/ops/support/batched_convolution.hpp"
#include "mithril/ops/support/convolution.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril {
namespace {

void eval_conv2d_weight_grad(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Total = Accumulator<T>;
    const auto dy = c.read<T>("grad"), x = c.read<T>("input");
    std::vector<Total> totals(static_cast<size_t>(c.out().size()));
    each_product(c, {c.dims("input"), c.out().dims(), c.dims("grad")},
                 [&](auto at, auto w, auto to, auto count, auto step) {
                   const T *from = x.begin() + at, *slope = dy.begin() + to;
                   Total total{};
                   for (int64_t i = 0; i < count; ++i)
                     total += static_cast<Total>(from[i * step]) * static_cast<Total>(slope[i]);
                   totals[static_cast<size_t>(w)] += total;
                 });
    auto dw = c.write<T>();
    for (const Total total : totals) *dw++ = static_cast<T>(total);
  });
}

void differentiate_conv2d_weight_grad(GradContext& g) {
  const Expression change = g.out_grad();
  if (g.needs("grad"))
    flow_summed(g, "grad", convolve(g, "conv2d", {g.in("input"), change, Datum()}));
  if (g.needs("input"))
    flow_summed(g, "input",
                convolve(g, "conv2d_input_grad", {g.in("grad"), g.in("input"), change}));
}

void batch_conv2d_weight_grad(BatchContext& c) {
  c.become(c.reshaped(grouped_convolution(c, {"grad", "input"}, {"weight"}), c.out_dims()));
}

}  // namespace

OpDef define_conv2d_weight_grad() {
  return {
      .name = "conv2d_weight_grad",
      .doc =
          "The gradient of conv2d with respect to its weight, given `grad`, the gradient of its "
          "output. Only the shape of `weight` is read.",
      .internal = true,
      .inputs = convolution_inputs({{"grad", "N Co Ho Wo", "float"},
                                    {"input", "N Ci H W", "number"},
                                    {"weight", "Co Cg Kh Kw", "any"}},
                                   "int|tuple"),
      .outputs = {{"output", "Co Cg Kh Kw", "float"}},
      .solve = solve_convolution2d,
      .eval = eval_conv2d_weight_grad,
      .grad = differentiate_conv2d_weight_grad,
      .batch = batch_conv2d_weight_grad,
      .separable = {"N"},
      .cast = CastPolicy::lower,
      .work = {.operations = operations_of_convolution_grad},
      .spell =
          {{"jax",
            "conv2d_weight_grad({grad}, {input}, {weight.shape}, {stride}, {padding}, {dilation}, "
            "{groups})"},
           {"onnx",
            "conv2d_weight_grad(grad, input, weight.shape, stride, padding, dilation, "
            "groups)"},
           {"torch", "item 1 of aten::convolution_backward", spell_convolution_weight_gradient},
           {"cpu",
            "convolution_weight_grad(grad, input, weight, stride, padding, dilation, groups)"}},
  };
}

}  // namespace mithril
