// The gradient of layer_norm.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/normalization.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Torch's kernel needs a weight, and a bias for its dtype.
std::string spell_layer_norm_grad(const SpellingContext& c) {
  const Dims& dims = c.dims("input");
  if (element_count(dims) == 0) return "unsupported";
  const std::string row = to_string(Dims{dims.back()});
  const std::string ones = spell_call("aten::ones", {row});
  const std::string weight =
      "weight == None ? " + spell_wide(ones, ones) + " : " + spell_wide("weight");
  return spell_call("aten::native_layer_norm_backward",
                    {spell_wide("grad"), spell_wide("input"), row, spell_wide("mean"),
                     spell_wide("rstd"), weight, weight, "[True, True, True]"});
}

// The gradients of weight and bias are sums for each index of the new axis.
void batch_layer_norm_grad(BatchContext& c) {
  const size_t rank = c.rank("input");
  const Expression grad = c.batched("grad"), x = c.batched("input"), mean = c.batched("mean"),
                   rstd = c.batched("rstd");
  const bool many_weights = c.has("weight") && c.is_batched("weight");
  const Expression scaled = many_weights ? grad * c.padded("weight", rank) : grad;
  const Operand weight = many_weights ? Operand(Datum()) : c.operand("weight");
  c.become(call("layer_norm_grad", {scaled, x, mean, rstd, weight}));
  Tuple lead;
  for (size_t axis = 1; axis < rank; ++axis) lead.push_back(Datum(static_cast<int64_t>(axis)));
  const auto sum = [&](const Expression& terms) {
    return lead.empty() ? terms : call("sum", {terms, Datum(lead)});
  };
  c.become(sum(grad * ((x - mean) * rstd)), 1);
  c.become(sum(grad), 2);
}

}  // namespace

OpDef define_layer_norm_grad() {
  return {
      .name = "layer_norm_grad",
      .doc =
          "The gradients of layer_norm with respect to input, weight and bias, given its outputs "
          "mean and rstd.",
      .internal = true,
      .inputs = {{"grad", "*lead D", "float"},
                 {"input", "*lead D", "float"},
                 {"mean", "*lead 1", "float"},
                 {"rstd", "*lead 1", "float"},
                 optional("weight", "D", "float")},
      .outputs = {{"input_grad", "*lead D", "float"},
                  {"weight_grad", "D", "float"},
                  {"bias_grad", "D", "float"}},
      .eval = [](EvalContext& c) { eval_norm_grad(c, NormGroups::rows(c.dims("input")), false); },
      .grad = [](GradContext& g) { differentiate_norm_grad(g, false, last_axis); },
      .batch = batch_layer_norm_grad,
      .separable = {"*lead"},
      .cast = CastPolicy::float32,
      .spell = {{"jax", "layer_norm_grad({grad}, {input}, {mean}, {rstd}, {weight})"},
                {"onnx", "layer_norm_grad(grad, input, mean, rstd, weight)"},
                {"torch", "aten::native_layer_norm_backward", spell_layer_norm_grad},
                {"cpu", "layer_norm_grad(grad, input, mean, rstd, weight)"}},
  };
}

}  // namespace mithril
