// The gradient of batch_norm_training and of batch_norm_inference.
#include "mithril/ops/support/normalization.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// With fixed statistics, torch's kernel takes the variance and eps of inference.
std::string spell_batch_norm_grad(const SpellingContext& c) {
  if (element_count(c.dims("input")) == 0) return "unsupported";
  const std::string weight = "weight == None ? None : " + spell_wide("weight");
  const std::string mean = spell_wide("mean"), rstd = spell_wide("rstd");
  std::vector<std::string> arguments = {spell_wide("grad"), spell_wide("input"), weight};
  if (c.value("training").flag()) {
    arguments.insert(arguments.end(), {"None", "None", mean, rstd, "True"});
  } else {
    const std::string variance = spell_call("aten::pow", {rstd, "-2"});
    arguments.insert(arguments.end(), {mean, variance, "None", "None", "False"});
  }
  arguments.insert(arguments.end(), {"0.0", "[True, True, True]"});
  return spell_call("aten::native_batch_norm_backward", arguments);
}

void samples_of_batch_norm_grad(SampleContext& c) {
  if (c.value("training").flag())
    return c.couple("in training mode it normalises by statistics of the batch");
  const SampleAxis at = c.in("grad");
  for (const char* port : {"mean", "rstd", "weight"}) {
    if (c.in(port).is_each()) return couple_along(c, 0);
  }
  if (!at.is_each() || (c.in("input").is_each() && !(c.in("input") == at)))
    return c.couple("two axes that hold the samples meet");
  if (at.axis == 1) return couple_along(c, 1);
  c.put(at, 0);
  c.add_up(1);
  c.add_up(2);
}

}  // namespace

OpDef define_batch_norm_grad() {
  return {
      .name = "batch_norm_grad",
      .doc =
          "The gradients of batch_norm_training with respect to input, weight and bias, given its "
          "outputs mean and rstd. training=False gives those of batch_norm_inference.",
      .internal = true,
      .inputs = {{"grad", "N C *s", "float"},
                 {"input", "N C *s", "float"},
                 {"mean", "C", "float"},
                 {"rstd", "C", "float"},
                 optional("weight", "C", "float"),
                 value("training", "bool", true)},
      .outputs = {{"input_grad", "N C *s", "float"},
                  {"weight_grad", "C", "float"},
                  {"bias_grad", "C", "float"}},
      .eval =
          [](EvalContext& c) {
            eval_norm_grad(c, NormGroups::channels(c.dims("input")), !c.flag("training"));
          },
      .grad =
          [](GradContext& g) {
            differentiate_norm_grad(g, !g.value("training").flag(), second_axis);
          },
      .batch = batch_channels,
      .samples = samples_of_batch_norm_grad,
      .spell = {{"jax", "batch_norm_grad({grad}, {input}, {mean}, {rstd}, {weight}, {training})"},
                {"onnx", "batch_norm_grad(grad, input, mean, rstd, weight, training)"},
                {"torch", "aten::native_batch_norm_backward", spell_batch_norm_grad}},
  };
}

}  // namespace mithril
