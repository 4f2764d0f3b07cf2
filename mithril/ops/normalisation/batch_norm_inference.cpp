// Normalising each channel by statistics that are given.
#include <cmath>

#include "mithril/ops/support/normalization.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_batch_norm_inference(EvalContext& c) {
  const auto mean = c.read<double>("mean"), variance = c.read<double>("variance");
  std::vector<double> rstd;
  for (const double v : variance) rstd.push_back(1 / std::sqrt(v + c.real("eps")));
  write_normalised(c, NormGroups::channels(c.dims("input")), {mean.begin(), mean.end()}, rstd);
}

void differentiate_batch_norm_inference(GradContext& g) {
  const Expression deviation = call("sqrt", {g.in("variance") + g.operand("eps")});
  const Expression rstd = call("divide", {1.0, deviation});
  const std::vector<Expression> grads =
      call_all("batch_norm_grad",
               {g.out_grad(), float_input(g), g.in("mean"), rstd, g.operand("weight"), false});
  if (g.needs("input")) flow_summed(g, "input", grads[0]);
  if (g.needs("weight")) flow_summed(g, "weight", grads[1]);
  if (g.needs("bias")) flow_summed(g, "bias", grads[2]);
  const Expression slope = g.has("weight") ? rstd * g.in("weight") : rstd;
  if (g.needs("mean")) flow_summed(g, "mean", -(grads[2] * slope));
  if (g.needs("variance")) flow_summed(g, "variance", grads[1] * slope * rstd * -0.5);
}

// Statistics, weights and biases of each index of the new axis are further channels.
void batch_batch_norm_inference(BatchContext& c) {
  if (!batch_by_patterns(c)) batch_channels(c);
}

}  // namespace

OpDef define_batch_norm_inference() {
  return {
      .name = "batch_norm_inference",
      .doc =
          "(input - mean) / sqrt(variance + eps) * weight + bias. The mean and the variance are "
          "given for each channel, which is the second axis.",
      .internal = true,
      .inputs = {{"input", "N C *s", "number"},
                 {"mean", "C", "float"},
                 {"variance", "C", "float"},
                 optional("weight", "C", "float"),
                 optional("bias", "C", "float"),
                 value("eps", "float|int", 1e-5)},
      .outputs = {{"output", "N C *s", "float"}},
      .eval = eval_batch_norm_inference,
      .grad = differentiate_batch_norm_inference,
      .batch = batch_batch_norm_inference,
      .separable = {"N", "*s"},
      .spell = {{"jax",
                 "batch_norm_inference({input}, {mean}, {variance}, {weight}, {bias}, {eps})"},
                {"onnx", "batch_norm_inference(input, mean, variance, weight, bias, eps)"},
                {"torch", spell_call("aten::native_batch_norm",
                                     {spell_as_output("input"), spell_optional_as_output("weight"),
                                      spell_optional_as_output("bias"), spell_as_output("mean"),
                                      spell_as_output("variance"), "False", "0.0", "eps"}) +
                              "[0]"}},
  };
}

}  // namespace mithril
