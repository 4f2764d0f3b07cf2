// The gradient of ctc_loss.
#include <cmath>

#include "mithril/ops/support/ctc.hpp"
#include "mithril/ops/support/spelling.hpp"

namespace mithril {
namespace {

void eval_ctc_loss_grad(EvalContext& c) {
  const int64_t samples = c.out().dims()[1], classes = c.out().dims()[2];
  const double of_infinity = c.flag("zero_infinity") ? 0 : std::nan("");
  std::vector<double> slopes(static_cast<size_t>(c.out().size()));
  const auto slope = [&](int64_t step, int64_t n, int64_t label) -> double& {
    return slopes[static_cast<size_t>((step * samples + n) * classes + label)];
  };
  each_ctc_sample(c, [&](int64_t n, const auto& paths) {
    if (paths.log_likelihood() == ctc_impossible) {
      for (int64_t step = 0; step < paths.steps(); ++step)
        for (int64_t label = 0; label < classes; ++label) slope(step, n, label) = of_infinity;
      return;
    }
    paths.each_state([&](int64_t step, int64_t label, double probability) {
      slope(step, n, label) -= probability;
    });
  });
  c.typed([&](auto zero) {
    auto y = c.write<decltype(zero)>();
    for (const double slope : slopes) *y++ = static_cast<decltype(zero)>(slope);
  });
}

// The gradient of torch, which adds the probabilities of all classes at the steps.
std::string spell_ctc_loss_grad(const SpellingContext& c) {
  const Dims& dims = c.dims("log_probs");
  if (element_count(dims) == 0 || element_count(c.dims("targets")) == 0)
    return "unsupported: torch needs a step, a sample, a class and a target";
  const std::string log_probs = spell_wide("log_probs");
  const std::string both = spell_call(
      "aten::_ctc_loss",
      {log_probs, "targets", "input_lengths", "target_lengths", "blank", "zero_infinity"});
  const std::string loss = both + "[0]";
  const std::string theirs =
      spell_call("aten::_ctc_loss_backward",
                 {spell_call("aten::ones_like", {loss}), log_probs, "targets", "input_lengths",
                  "target_lengths", loss, both + "[1]", "blank", "zero_infinity"});
  const std::string step =
      spell_reshape(spell_call("aten::arange", {"0", spell_number(dims[0]), "1"}), {dims[0], 1, 1});
  const Dims samples = {1, dims[1], 1};
  const std::string is_step =
      spell_call("aten::lt", {step, spell_reshape("input_lengths", samples)});
  const std::string is_finite = spell_reshape(spell_call("aten::isfinite", {loss}), samples);
  const std::string added =
      spell_call("aten::where", {spell_call("aten::logical_and", {is_step, is_finite}),
                                 spell_call("aten::exp", {log_probs}), "0"});
  return spell_call("aten::sub", {theirs, added});
}

}  // namespace

OpDef define_ctc_loss_grad() {
  return {
      .name = "ctc_loss_grad",
      .doc =
          "The gradient of ctc_loss with respect to log_probs: minus the probability of each class "
          "at each step, given the labels. It is NaN if the labels do not fit into the steps, or 0 "
          "with zero_infinity=True.",
      .internal = true,
      .inputs = ctc_inputs(),
      .outputs = {{"output", "T N C", "float"}},
      .eval = eval_ctc_loss_grad,
      .not_differentiable = "ctc_loss has a first derivative only, as in PyTorch",
      .separable = {"N"},
      .cast = CastPolicy::float32,
      .spell = {{"jax",
                 "ctc_loss_grad({log_probs}, {targets}, {input_lengths}, {target_lengths}, "
                 "{blank}, {zero_infinity})"},
                {"torch", "aten::_ctc_loss_backward without exp(log_probs)", spell_ctc_loss_grad}},
  };
}

}  // namespace mithril
