// Normalising each channel by the statistics of the batch, which the running ones follow.
#include <algorithm>

#include "mithril/ops/support/normalization.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_batch_norm_training(EvalContext& c) {
  const NormGroups groups = NormGroups::channels(c.dims("input"));
  const Moments m = moments(groups, c.read<double>("input"));
  const std::vector<double> rstd = reciprocal_deviations(c, groups, m);
  const auto old_mean = c.read<double>("running_mean"), old_var = c.read<double>("running_var");
  const double share = c.real("momentum");
  const auto others = static_cast<double>(std::max<int64_t>(groups.size - 1, 1));
  const auto moved = [&](double old, double of_batch) {
    return groups.size == 0 ? old : old * (1 - share) + of_batch * share;
  };
  std::vector<double> new_mean, new_var;
  for (int64_t i = 0; i < old_mean.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    new_mean.push_back(moved(old_mean[i], m.mean[at]));
    new_var.push_back(moved(old_var[i], m.squares[at] / others));
  }
  write_normalised(c, groups, m.mean, rstd);
  write_numbers(c, 1, m.mean);
  write_numbers(c, 2, rstd);
  write_numbers(c, 3, new_mean);
  write_numbers(c, 4, new_var);
}

// The gradient of the input through the statistics of its channels: those of the batch and the
// running ones.
Expression flow_of_all_statistics(const GradContext& g, const Expression& x) {
  const Expression mean = g.out(1);
  const double share = g.value("momentum").real();
  const Expression whole = flow_of_statistics(
      x, mean, g.out(2), g.out_grad(1) + g.out_grad(3) * share, g.out_grad(2), second_axis);
  const Expression elements = second_axis(x);
  const Expression others = call("clamp", {group_sizes(elements, mean) - 1.0, 1.0});
  const Expression slope = g.out_grad(4) * (2 * share) / others;
  return whole + second_axis((elements - mean) * slope);
}

// The gradient of an old running statistic, from that of the new one. It stays if there are no
// elements.
Expression flow_of_running(const GradContext& g, const Expression& x, const Expression& grad) {
  const Expression any = call("clamp", {group_sizes(second_axis(x), grad), Datum(), 1.0});
  return grad * (1.0 - any * g.value("momentum").real());
}

void differentiate_batch_norm_training(GradContext& g) {
  const Expression x = float_input(g);
  const std::vector<Expression> grads =
      call_all("batch_norm_grad", {g.out_grad(), x, g.out(1), g.out(2), g.operand("weight")});
  const bool more =
      g.has_out_grad(1) || g.has_out_grad(2) || g.has_out_grad(3) || g.has_out_grad(4);
  if (g.needs("input"))
    flow_summed(g, "input", more ? grads[0] + flow_of_all_statistics(g, x) : grads[0]);
  if (g.needs("weight")) flow_summed(g, "weight", grads[1]);
  if (g.needs("bias")) flow_summed(g, "bias", grads[2]);
  if (g.needs("running_mean") && g.has_out_grad(3))
    flow_summed(g, "running_mean", flow_of_running(g, x, g.out_grad(3)));
  if (g.needs("running_var") && g.has_out_grad(4))
    flow_summed(g, "running_var", flow_of_running(g, x, g.out_grad(4)));
}

// Torch divides by n - 1, which is 0 for one element per channel. Its distance from the mean is 0,
// or NaN if it is not finite.
std::string spell_batch_norm_training(const SpellingContext& c) {
  const Dims& dims = c.dims("input");
  if (element_count(dims) == 0) return "unsupported";
  const std::string x = spell_as_output("input"), running_var = spell_as_output("running_var");
  const std::string norm =
      spell_call("aten::_native_batch_norm_legit_functional",
                 {x, spell_optional_as_output("weight"), spell_optional_as_output("bias"),
                  spell_as_output("running_mean"), running_var, "True", "momentum", "eps"});
  if (element_count(dims) > dims[1]) return norm;
  const std::string distance = spell_reshape(spell_call("aten::sub", {x, x}), {dims[1]});
  const std::string variance = spell_call("aten::lerp", {running_var, distance, "momentum"});
  return "[" + norm + "[0], " + norm + "[1], " + norm + "[2], " + norm + "[3], " + variance + "]";
}

void samples_of_batch_norm(SampleContext& c) {
  c.couple("in training mode it normalises by statistics of the batch");
}

}  // namespace

OpDef define_batch_norm_training() {
  return {
      .name = "batch_norm_training",
      .doc =
          "(input - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps), for the "
          "mean and the variance of each channel (the second axis) over the batch "
          "(https://arxiv.org/abs/1502.03167). The new running statistics are (1 - momentum) * "
          "running + momentum * batch, where the variance of the batch has the divisor max(n - 1, "
          "1). A batch without elements leaves them.",
      .internal = true,
      .inputs = {{"input", "N C *s", "number"},
                 {"running_mean", "C", "float"},
                 {"running_var", "C", "float"},
                 optional("weight", "C", "float"),
                 optional("bias", "C", "float"),
                 value("momentum", "float|int", 0.1),
                 value("eps", "float|int", 1e-5)},
      .outputs = {{"output", "N C *s", "float"},
                  {"mean", "C", "float"},
                  {"rstd", "C", "float"},
                  {"new_running_mean", "C", "float"},
                  {"new_running_var", "C", "float"}},
      .eval = eval_batch_norm_training,
      .grad = differentiate_batch_norm_training,
      .batch = batch_channels,
      .samples = samples_of_batch_norm,
      .spell = {{"jax",
                 "batch_norm_training({input}, {running_mean}, {running_var}, {weight}, {bias}, "
                 "{momentum}, {eps})"},
                {"onnx",
                 "batch_norm_training(input, running_mean, running_var, weight, bias, momentum, "
                 "eps)"},
                {"torch", "aten::_native_batch_norm_legit_functional", spell_batch_norm_training}},
  };
}

}  // namespace mithril
