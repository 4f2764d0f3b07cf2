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
          "The connectionist temporal classification loss of each sample "
          "(https://www.cs.toronto.edu/~graves/icml_2006.pdf): -log of the probability of its "
          "labels, summed over all alignments with blanks and repeated labels. log_probs [T, N, C] "
          "are log-probabilities, such as outputs of log_softmax; targets [N, S] are classes. "
          "Steps beyond `input_lengths` and labels beyond `target_lengths` do not count. The loss "
          "is infinite if the labels do not fit into the steps; zero_infinity=True makes this loss "
          "and its gradient 0.",
      .inputs = ctc_inputs(),
      .outputs = {{"output", "N", "float"}},
      .eval = eval_ctc_loss,
      .grad = grad_ctc_loss,
      .separable = {"N"},
      .cast = CastPolicy::float32,
      .objective = true,
      .work = {.uncounted = true},
      .spell = {{"jax",
                 "ctc_loss({log_probs}, {targets}, {input_lengths}, {target_lengths}, {blank}, "
                 "{zero_infinity})"},
                {"torch", "aten::ctc_loss in at least float32", spell_ctc_loss}},
  };
}

}  // namespace mithril
