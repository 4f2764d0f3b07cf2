// Normalising the last axis.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/normalization.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_layer_norm(EvalContext& c) {
  const NormGroups groups = NormGroups::rows(c.dims("input"));
  const Moments m = moments(groups, c.read<double>("input"));
  const std::vector<double> rstd = reciprocal_deviations(c, groups, m);
  write_normalised(c, groups, m.mean, rstd);
  write_numbers(c, 1, m.mean);
  write_numbers(c, 2, rstd);
}

void differentiate_layer_norm(GradContext& g) {
  const Expression x = float_input(g), mean = g.out(1), rstd = g.out(2);
  const std::vector<Expression> grads =
      call_all("layer_norm_grad", {g.out_grad(), x, mean, rstd, g.operand("weight")});
  if (g.needs("input")) {
    const bool whole = g.has_out_grad(1) || g.has_out_grad(2);
    g.flow("input", !whole ? grads[0]
                           : grads[0] + flow_of_statistics(x, mean, rstd, g.out_grad(1),
                                                           g.out_grad(2), last_axis));
  }
  if (g.needs("weight")) flow_summed(g, "weight", grads[1]);
  if (g.needs("bias")) flow_summed(g, "bias", grads[2]);
}

std::string spell_layer_norm(const SpellingContext& c) {
  const Dims& dims = c.dims("input");
  if (element_count(dims) == 0) return "unsupported";
  return spell_call("aten::native_layer_norm",
                    {spell_as_output("input"), to_string(Dims{dims.back()}),
                     spell_optional_as_output("weight"), spell_optional_as_output("bias"), "eps"});
}

// Weights and biases of each index of the new axis come after the norm.
void batch_layer_norm(BatchContext& c) {
  const bool many_weights = c.has("weight") && c.is_batched("weight");
  const bool many_biases = c.has("bias") && c.is_batched("bias");
  if (!many_weights && !many_biases) {
    if (!batch_by_patterns(c)) c.refuse("it has no batching rule for these inputs");
    return;
  }
  const size_t rank = c.rank("input");
  const std::vector<Expression> norm =
      call_all("layer_norm", {c.in("input"), Datum(), Datum(), c.value("eps")});
  const auto factor = [&](const char* port, bool many) {
    return many ? c.padded(port, rank) : c.in(port);
  };
  Expression y = norm[0];
  if (c.has("weight")) y = y * factor("weight", many_weights);
  if (c.has("bias")) y = y + factor("bias", many_biases);
  c.become(y);
  for (const int statistic : {1, 2}) {
    const Expression& value = norm[static_cast<size_t>(statistic)];
    if (c.is_batched("input")) {
      c.become(value, statistic);
    } else {
      c.become_shared(value, statistic);
    }
  }
}

}  // namespace

OpDef define_layer_norm() {
  return {
      .name = "layer_norm",
      .doc =
          "(input - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps), for the "
          "mean and the variance of each row along the last axis "
          "(https://arxiv.org/abs/1607.06450).",
      .inputs = {{"input", "*lead D", "number"},
                 optional("weight", "D", "float"),
                 optional("bias", "D", "float"),
                 value("eps", "float|int", 1e-5)},
      .outputs = {{"output", "*lead D", "float"},
                  {"mean", "*lead 1", "float"},
                  {"rstd", "*lead 1", "float"}},
      .eval = eval_layer_norm,
      .grad = differentiate_layer_norm,
      .batch = batch_layer_norm,
      .separable = {"*lead"},
      .cast = CastPolicy::float32,
      .spell = {{"jax", "layer_norm({input}, {weight}, {bias}, {eps})"},
                {"onnx", "layer_norm(input, weight, bias, eps)"},
                {"torch", "aten::native_layer_norm", spell_layer_norm},
                {"cpu", "layer_norm(input, weight, bias, eps)"},
                {"rows",
                 "total = sum({input}); mean = {total} / {width}; "
                 "squares = sum(({input} - {mean}) * ({input} - {mean})); "
                 "rstd = 1 / sqrt({squares} / {width} + {eps}); "
                 "normal = ({input} - {mean}) * {rstd}; "
                 "scaled = {weight} == None ? {normal} : {normal} * {weight}; "
                 "output = {bias} == None ? {scaled} : {scaled} + {bias}"}},
  };
}

}  // namespace mithril
