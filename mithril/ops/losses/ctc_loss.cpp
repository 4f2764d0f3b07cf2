// Loss: connectionist temporal classification.
#include "mithril/ops/support/ctc.hpp"
#include "mithril/ops/support/spelling.hpp"

namespace mithril {
namespace {

void eval_ctc_loss(EvalContext& c) {
  const bool zero_infinity = c.flag("zero_infinity");
  std::vector<double> losses(static_cast<size_t>(c.out().size()));
  each_ctc_sample(c, [&](int64_t n, const auto& paths) {
    const double likelihood = paths.log_likelihood();
    const bool is_zero = zero_infinity && likelihood == ctc_impossible;
    losses[static_cast<size_t>(n)] = is_zero ? 0 : -likelihood;
  });
  c.typed([&](auto zero) {
    auto y = c.write<decltype(zero)>();
    for (const double loss : losses) *y++ = static_cast<decltype(zero)>(loss);
  });
}

void grad_ctc_loss(GradContext& g) {
  const Expression slope =
      call("ctc_loss_grad", {g.in("log_probs"), g.in("targets"), g.in("input_lengths"),
                             g.in("target_lengths"), g.value("blank"), g.value("zero_infinity")});
  g.flow("log_probs", call("expand_dims", {g.out_grad(), -1}) * slope);
}

std::string spell_ctc_loss(const SpellingContext& c) {
  if (element_count(c.dims("log_probs")) == 0 || element_count(c.dims("targets")) == 0)
    return "unsupported: torch needs a step, a sample, a class and a target";
  return spell_call("aten::ctc_loss", {spell_wide("log_probs"), "targets", "input_lengths",
                                       "target_lengths", "blank", "0", "zero_infinity"});
}

}  // namespace

OpDef define_ctc_loss() {
  return {
      .name = "ctc_loss",
      .doc =
          "-log of the probability that the steps of a sample give its labels, where blanks and "
          "repeated labels may lie between (connectionist temporal classification, "
          "https://www.cs.toronto.edu/~graves/icml_2006.pdf), for each sample. log_probs [T, N, "
          "C] are logarithms of probabilities, as log_softmax gives them; targets [N, S] are "
          "classes. Steps and targets beyond the lengths do not count. Infinite for labels that "
          "do not fit the steps; with zero_infinity=True 0, and so is the gradient.",
      .inputs = ctc_inputs(),
      .outputs = {{"output", "N", "float"}},
      .eval = eval_ctc_loss,
      .grad = grad_ctc_loss,
      .separable = {"N"},
      .cast = CastPolicy::float32,
      .objective = true,
      .spell = {{"jax",
                 "ctc_loss({log_probs}, {targets}, {input_lengths}, {target_lengths}, {blank}, "
                 "{zero_infinity})"},
                {"torch", "aten::ctc_loss in at least float32", spell_ctc_loss}},
  };
}

}  // namespace mithril
