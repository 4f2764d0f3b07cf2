#include "mithril/models/perceptron.hpp"

#include "mithril/models/builder.hpp"
#include "mithril/models/linear.hpp"

namespace mithril {
namespace {

struct ParameterNames {
  std::string weight = "weight", bias = "bias";
};

ParameterNames parameter_names(const CheckedArguments& arguments) {
  ParameterNames names;
  if (!arguments.has("input_name_templates")) return names;
  for (const Datum& pair : arguments["input_name_templates"].tuple()) {
    const std::string& what = pair.tuple()[0].text();
    if (what != "weight" && what != "bias")
      arguments.reject("input_name_templates", "names of weight and bias");
    (what == "weight" ? names.weight : names.bias) = pair.tuple()[1].text();
  }
  return names;
}

}  // namespace

Model Layer(const LayerOptions& options) {
  Arguments arguments{{"activation", options.activation.datum()}};
  if (options.dimension) arguments.emplace_back("dimension", *options.dimension);
  return make_model("Layer", arguments);
}

Model MLP(const MLPOptions& options) {
  Tuple activations, dimensions;
  for (const PartArgument& activation : options.activations)
    activations.push_back(activation.datum());
  for (const int64_t dimension : options.dimensions) dimensions.emplace_back(dimension);
  Arguments arguments{{"activations", Datum(std::move(activations))},
                      {"dimensions", Datum(std::move(dimensions))}};
  if (!options.input_name_templates.empty()) {
    Tuple names;
    for (const auto& [what, name] : options.input_name_templates)
      names.emplace_back(Tuple{what, name});
    arguments.emplace_back("input_name_templates", Datum(std::move(names)));
  }
  return make_model("MLP", arguments);
}

ModelDef define_layer();
ModelDef define_layer() {
  return {
      .name = "Layer",
      .doc = "activation(input @ weight.T + bias).",
      .ports = {{"input", "[N, ..., I]"},
                {"weight", "[dimension, I]"},
                {"bias", "[dimension]"},
                {"output", "[N, ..., dimension]"}},
      .arguments = {{"activation", "model", {}, "a part with one canonical input"},
                    {"dimension", "int|none", Datum(), "number of outputs; None: inferred"}},
      .build =
          [](const CheckedArguments& arguments) {
            Model model = model_of_class("Layer");
            const Model linear = make_model("Linear", {{"dimension", arguments["dimension"]}});
            model |= linear({{"input", "input"}, {"weight", "weight"}, {"bias", "bias"}});
            model += arguments.part("activation")({{"output", "output"}});
            return model;
          },
  };
}

ModelDef define_mlp();
ModelDef define_mlp() {
  return {
      .name = "MLP",
      .doc = "A multilayer perceptron: a chain of Layer models.",
      .ports = {{"input", "[N, ..., I]"},
                {"weight0", "[D0, I]"},
                {"bias0", "[D0]"},
                {"weight1", "[D1, D0]"},
                {"bias1", "[D1]", "and so on"},
                {"output", "[N, ..., D]"}},
      .arguments = {{"activations", "models", {}, "one for each layer"},
                    {"dimensions", "tuple", {}, "outputs of each layer"},
                    {"input_name_templates", "names|none", Datum(),
                     "the names of weight and bias, before the number of the layer"}},
      .build =
          [](const CheckedArguments& arguments) {
            const Tuple &activations = arguments["activations"].tuple(),
                        &dimensions = arguments["dimensions"].tuple();
            if (activations.empty()) arguments.reject("activations", "at least one layer");
            for (const Datum& dimension : dimensions) {
              const bool size = dimension.kind() == kind::int_value && dimension.integer() >= 0;
              if (!size && !dimension.is_none())
                arguments.reject("dimensions", "sizes of at least 0, or None");
            }
            if (activations.size() != dimensions.size())
              arguments.reject("dimensions", "as many as there are activations");
            const ParameterNames names = parameter_names(arguments);
            Model model = model_of_class("MLP");
            for (size_t i = 0; i < activations.size(); ++i) {
              const std::string number = std::to_string(i);
              Bindings bindings{{"weight", names.weight + number}, {"bias", names.bias + number}};
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
