#include "mithril/models/activations.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// Positive elements do not reach expm1, which would overflow.
Connection elu(const Connection& x, double alpha) {
  const Connection is_positive = x > 0;
  const Connection left = apply("expm1", {apply("where", {is_positive, 0.0, x})});
  return apply("where", {is_positive, x, left * alpha});
}

Connection hardsigmoid(const Connection& x) { return (x + 3.0).clamp(0.0, 6.0) / 6.0; }

ModelDef activation(std::string name, std::string doc, Model (*build)(const CheckedArguments&)) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .ports = {{"input", "[...]"}, {"output", "[...]"}},
          .arguments = {},
          .build = build};
}

}  // namespace

Model ELU(ELUOptions options) { return make_model("ELU", {{"alpha", options.alpha}}); }
Model SELU() { return make_model("SELU"); }
Model Mish() { return make_model("Mish"); }
Model Hardsigmoid() { return make_model("Hardsigmoid"); }
Model Hardswish() { return make_model("Hardswish"); }
Model QuickGelu() { return make_model("QuickGelu"); }
Model Relu6() { return make_model("Relu6"); }

ModelDef define_elu();
ModelDef define_elu() {
  return {
      .name = "ELU",
      .doc =
          "input where it is positive, otherwise alpha * (exp(input) - 1) "
          "(https://arxiv.org/abs/1511.07289).",
      .ports = {{"input", "[...]"}, {"output", "[...]"}},
      .arguments = {{"alpha", "int|float", Datum(1.0), "the limit on the left is -alpha"}},
      .build =
          [](const CheckedArguments& arguments) {
            Model model = model_of_class("ELU");
            const Connection input = model["input"];
            return finished(model, elu(input, arguments.real("alpha")));
          },
  };
}

ModelDef define_selu();
ModelDef define_selu() {
  return activation("SELU",
                    "1.0507 * ELU(input) with alpha = 1.67326 (https://arxiv.org/abs/1706.02515).",
                    [](const CheckedArguments&) {
                      Model model = model_of_class("SELU");
                      const Connection input = model["input"];
                      return finished(model, elu(input, 1.6732632423543772) * 1.0507009873554805);
                    });
}

ModelDef define_mish();
ModelDef define_mish() {
  return activation("Mish", "input * tanh(softplus(input)) (https://arxiv.org/abs/1908.08681).",
                    [](const CheckedArguments&) {
                      Model model = model_of_class("Mish");
                      const Connection input = model["input"];
                      return finished(model, input * apply("tanh", {apply("softplus", {input})}));
                    });
}

ModelDef define_hardsigmoid();
ModelDef define_hardsigmoid() {
  return activation("Hardsigmoid", "input / 6 + 1 / 2, clamped to [0, 1].",
                    [](const CheckedArguments&) {
                      Model model = model_of_class("Hardsigmoid");
                      const Connection input = model["input"];
                      return finished(model, hardsigmoid(input));
                    });
}

ModelDef define_hardswish();
ModelDef define_hardswish() {
  return activation("Hardswish", "input * Hardsigmoid(input).", [](const CheckedArguments&) {
    Model model = model_of_class("Hardswish");
    const Connection input = model["input"];
    return finished(model, input * hardsigmoid(input));
  });
}

ModelDef define_quick_gelu();
ModelDef define_quick_gelu() {
  return activation("QuickGelu", "input * sigmoid(1.702 * input), an approximation of Gelu.",
                    [](const CheckedArguments&) {
                      Model model = model_of_class("QuickGelu");
                      const Connection input = model["input"];
                      return finished(model, input * apply("sigmoid", {input * 1.702}));
                    });
}

ModelDef define_relu6();
ModelDef define_relu6() {
  return activation("Relu6", "min(max(input, 0), 6).", [](const CheckedArguments&) {
    Model model = model_of_class("Relu6");
    const Connection input = model["input"];
    return finished(model, input.clamp(0.0, 6.0));
  });
}

}  // namespace mithril
