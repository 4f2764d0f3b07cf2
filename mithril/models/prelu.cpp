#include "mithril/models/prelu.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {

Model PReLU(PReLUOptions options) { return make_model("PReLU", {{"init", options.init}}); }

ModelDef define_prelu();
ModelDef define_prelu() {
  return {
      .name = "PReLU",
      .doc = "input if it is positive, otherwise weight * input.",
      .ports = {{"input", "[...]"}, {"weight", "[1]"}, {"output", "[...]"}},
      .arguments = {{"init", "int|float", Datum(0.25), "the initial slope"}},
      .build =
          [](const CheckedArguments& arguments) {
            Model model = model_of_class("PReLU");
            const Connection input = model["input"], weight = model["weight"];
            model.set_shapes({{"weight", {1}}});
            model.set_initializer("weight", {.distribution = Initializer::Distribution::constant,
                                             .a = arguments.real("init")});
            return finished(model, apply("where", {input > 0, input, weight * input}));
          },
  };
}

}  // namespace mithril
