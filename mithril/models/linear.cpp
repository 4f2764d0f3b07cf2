#include "mithril/models/linear.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {

Model Linear(LinearOptions options) {
  Arguments arguments;
  if (options.dimension) arguments.emplace_back("dimension", *options.dimension);
  if (!options.use_bias) arguments.emplace_back("use_bias", false);
  return make_model("Linear", arguments);
}

ModelDef define_linear_model();
ModelDef define_linear_model() {
  return {
      .name = "Linear",
      .doc = "input @ weight.T + bias.",
      .ports = {{"input", "[N, ..., I]"},
                {"weight", "[dimension, I]"},
                {"bias", "[dimension]"},
                {"output", "[N, ..., dimension]"}},
      .arguments = {{"dimension", "int|none", Datum(), "number of outputs; None: inferred"},
                    {"use_bias", "bool", true, "whether there is a bias"}},
      .build =
          [](const CheckedArguments& arguments) {
            Model model = model_of_class("Linear");
            model["input"];
            model["weight"];
            const DimSpec outputs = arguments.size("dimension", DimSpec(std::string("O")));
            model.set_shapes({{"weight", ShapeSpec(std::vector<DimSpec>{outputs, Any{}})}});
            model.set_initializer("weight",
                                  {.distribution = Initializer::Distribution::uniform_fan_in});
            Bindings bindings{{"input", "input"}, {"weight", "weight"}, {"output", "output"}};
            if (arguments.flag("use_bias")) {
              model["bias"];
              bindings.emplace_back("bias", "bias");
            }
            model |= Model::op("linear")(bindings);
            if (arguments.flag("use_bias")) {
              model.set_initializer(
                  "bias",
                  {.distribution = Initializer::Distribution::uniform_fan_in, .fan_of = "weight"});
            }
            model.set_cin({"input"}).set_cout({"output"});
            return model;
          },
  };
}

}  // namespace mithril
