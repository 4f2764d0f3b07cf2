// The gradient of conv2d in its input.
#include <vector>

#include "mithril/ops/support/batched_convolution.hpp"
#include "mithril/ops/support/convolution.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril {
namespace {

void eval_conv2d_input_grad(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Total = Accumulator<T>;
    const auto dy = c.read<T>("grad"), weight = c.read<T>("weight");
    std::vector<Total> totals(static_cast<size_t>(c.out().size()));
    each_product(c, {c.out().dims(), c.dims("weight"), c.dims("grad")},
                 [&](auto at, auto w, auto to, auto count, auto step) {
                   const auto factor = static_cast<Total>(weight[w]);
                   const T* from = dy.begin() + to;
                   Total* total = totals.data() + at;
                   for (int64_t i = 0; i < count; ++i)
                     total[i * step] += static_cast<Total>(from[i]) * factor;
                 });
    auto dx = c.write<T>();
    for (const Total total : totals) *dx++ = static_cast<T>(total);
  });
}

void differentiate_conv2d_input_grad(GradContext& g) {
  const Expression change = g.out_grad();
  if (g.needs("grad"))
    flow_summed(g, "grad", convolve(g, "conv2d", {change, g.in("weight"), Datum()}));
  if (g.needs("weight"))
    flow_summed(g, "weight",
                convolve(g, "conv2d_weight_grad", {g.in("grad"), change, g.in("weight")}));
}

void batch_conv2d_input_grad(BatchContext& c) {
  if (!c.is_batched("weight")) {
    if (!batch_by_patterns(c)) c.refuse("it has no batching rule for these inputs");
    return;
  }
  c.become(channels_divided(c, grouped_convolution(c, {"grad", "input"}, {"weight"})));
}

}  // namespace

OpDef define_conv2d_input_grad() {
  return {
      .name = "conv2d_input_grad",
      .doc =
          "The gradient of conv2d with respect to its input, given `grad`, the gradient of its "
          "output. Only the shape of `input` is read.",
      .internal = true,
      .inputs = convolution_inputs({{"grad", "N Co Ho Wo", "float"},
                                    {"input", "N Ci H W", "any"},
                                    {"weight", "Co Cg Kh Kw", "float"}},
                                   "int|tuple"),
      .outputs = {{"output", "N Ci H W", "float"}},
      .solve = solve_convolution2d,
      .eval = eval_conv2d_input_grad,
      .grad = differentiate_conv2d_input_grad,
      .batch = batch_conv2d_input_grad,
      .separable = {"N"},
      .cast = CastPolicy::lower,
      .work = {.operations = operations_of_convolution_grad},
      .spell = {{"jax",
                 "conv2d_input_grad({grad}, {input.shape}, {weight}, {stride}, {padding}, "
                 "{dilation}, {groups})"},
                {"onnx",
                 "conv2d_input_grad(grad, input.shape, weight, stride, padding, dilation, "
                 "groups)"},
                {"torch", "item 0 of aten::convolution_backward", spell_convolution_input_gradient},
                {"cpu",
                 "convolution_input_grad(grad, input, weight, stride, padding, dilation, groups)"}},
  };
}

}  // namespace mithril
