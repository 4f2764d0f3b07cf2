#include "mithril/models/perceptron.hpp"

#include "mithril/models/builder.hpp"
#include "mithril/models/linear.hpp"

namespace mithril {

Model Layer(const LayerOptions& options) {
  Arguments arguments{{"activation", options.activation}};
  if (options.dimension) arguments.emplace_back("dimension", *options.dimension);
  return make_model("Layer", arguments);
}

Model MLP(const MLPOptions& options) {
  Tuple activations, dimensions;
  for (const std::string& activation : options.activations) activations.emplace_back(activation);
  for (const int64_t dimension : options.dimensions) dimensions.emplace_back(dimension);
  return make_model("MLP", {{"activations", Datum(std::move(activations))},
                            {"dimensions", Datum(std::move(dimensions))}});
}

ModelDef define_layer();
ModelDef define_layer() {
  return {
      .name = "Layer",
      .doc = "activation(input @ weight.T + bias). Ports: input, weight, bias, output.",
      .arguments = {{"activation", "str", {}, "class name of a part with one input"},
                    {"dimension", "int|none", Datum(), "number of outputs; None: inferred"}},
      .build =
          [](const CheckedArguments& arguments) {
            Model model = model_of_class("Layer");
            const Model linear = make_model("Linear", {{"dimension", arguments["dimension"]}});
            model |= linear({{"input", "input"}, {"weight", "weight"}, {"bias", "bias"}});
            model += make_model(arguments.text("activation"))({{"output", "output"}});
            return model;
          },
  };
}

ModelDef define_mlp();
ModelDef define_mlp() {
  return {
      .name = "MLP",
      .doc = "A chain of layers. Ports: input, weight0, bias0, weight1, bias1, ..., output.",
      .arguments = {{"activations", "tuple", {}, "class names, one for each layer"},
                    {"dimensions", "tuple", {}, "outputs of each layer"}},
      .build =
          [](const CheckedArguments& arguments) {
            const Tuple &activations = arguments["activations"].tuple(),
                        &dimensions = arguments["dimensions"].tuple();
            if (activations.empty()) arguments.reject("activations", "at least one layer");
            if (activations.size() != dimensions.size())
              arguments.reject("dimensions", "as many as there are activations");
            Model model = model_of_class("MLP");
            for (size_t i = 0; i < activations.size(); ++i) {
              if (activations[i].kind() != kind::string)
                arguments.reject("activations", "class names");
              const std::string number = std::to_string(i);
              Bindings bindings{{"weight", "weight" + number}, {"bias", "bias" + number}};
              if (i == 0) bindings.emplace_back("input", "input");
              if (i + 1 == activations.size()) bindings.emplace_back("output", "output");
              model += make_model("Layer", {{"activation", activations[i]},
                                            {"dimension", dimensions[i]}})(bindings);
            }
            return model;
          },
  };
}

}  // namespace mithril
