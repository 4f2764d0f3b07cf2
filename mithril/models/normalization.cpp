#include "mithril/models/normalization.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// Weight and bias, where they are wanted: bound to the ports of these names.
void bind_affine(Model& model, const CheckedArguments& arguments, Bindings& bindings) {
  if (arguments.flag("use_scale")) {
    model["weight"];
    bindings.emplace_back("weight", "weight");
    model.set_initializer("weight", {.law = Initializer::Law::ones});
  }
  if (arguments.flag("use_bias")) {
    model["bias"];
    bindings.emplace_back("bias", "bias");
    model.set_initializer("bias", {.law = Initializer::Law::zeros});
  }
}

Model build_layer_norm(const CheckedArguments& arguments) {
  Model model = model_of_class("LayerNorm");
  model["input"];
  Bindings bindings{{"input", "input"}, {"output", "output"}};
  bind_affine(model, arguments, bindings);
  model |= Model::op("layer_norm", {{"eps", arguments.real("eps")}})(bindings);
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

// The state, and what follows the batch while training.
void bind_statistics(Model& model, bool inference, Bindings& bindings) {
  model["running_mean"];
  model["running_var"];
  model.set_differentiability({{"running_mean", false}, {"running_var", false}});
  bindings.emplace_back(inference ? "mean" : "running_mean", "running_mean");
  bindings.emplace_back(inference ? "variance" : "running_var", "running_var");
  if (inference) return;
  bindings.emplace_back("new_running_mean", "new_running_mean");
  bindings.emplace_back("new_running_var", "new_running_var");
}

Model build_batch_norm2d(const CheckedArguments& arguments) {
  Model model = model_of_class("BatchNorm2D");
  const bool inference = arguments.flag("inference");
  model["input"];
  const DimSpec channels = arguments.size("num_features");
  model.set_shapes({{"input", ShapeSpec(std::vector<DimSpec>{Any{}, channels, Any{}, Any{}})}});
  Bindings bindings{{"input", "input"}, {"output", "output"}};
  bind_statistics(model, inference, bindings);
  bind_affine(model, arguments, bindings);
  Arguments options{{"eps", arguments.real("eps")}};
  if (!inference) options.emplace_back("momentum", arguments.real("momentum"));
  model |= Model::op(inference ? "batch_norm_inference" : "batch_norm_training", options)(bindings);
  if (!inference) {
    model.bind_state_keys("running_mean", "new_running_mean", Tensor::scalar(0.0f));
    model.bind_state_keys("running_var", "new_running_var", Tensor::scalar(1.0f));
  }
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

}  // namespace

Model LayerNorm(const LayerNormOptions& options) {
  return make_model(
      "LayerNorm",
      {{"use_scale", options.use_scale}, {"use_bias", options.use_bias}, {"eps", options.eps}});
}

Model BatchNorm2D(const BatchNorm2DOptions& options) {
  return make_model("BatchNorm2D", {{"num_features",
                                     options.num_features ? Datum(*options.num_features) : Datum()},
                                    {"use_scale", options.use_scale},
                                    {"use_bias", options.use_bias},
                                    {"eps", options.eps},
                                    {"momentum", options.momentum},
                                    {"inference", options.inference}});
}

ModelDef define_layer_norm_model();
ModelDef define_layer_norm_model() {
  return {.name = "LayerNorm",
          .doc = "Normalises the last axis. Ports: input [..., D], weight [D], bias [D], output.",
          .arguments = {{"use_scale", "bool", true, "whether there is a weight"},
                        {"use_bias", "bool", true, "whether there is a bias"},
                        {"eps", "float", 1e-5, "added to the variance"}},
          .build = build_layer_norm};
}

ModelDef define_batch_norm2d_model();
ModelDef define_batch_norm2d_model() {
  return {.name = "BatchNorm2D",
          .doc =
              "Normalises each channel over the batch. Ports: input [N, C, H, W], weight [C], bias "
              "[C], output; state "
              "running_mean [C], running_var [C].",
          .arguments = {{"num_features", "int|none", Datum(), "channels; None: inferred"},
                        {"use_scale", "bool", true, "whether there is a weight"},
                        {"use_bias", "bool", true, "whether there is a bias"},
                        {"eps", "float", 1e-5, "added to the variance"},
                        {"momentum", "float", 0.1, "weight of the batch in the running statistics"},
                        {"inference", "bool", true,
                         "normalise with the running statistics, and leave them"}},
          .build = build_batch_norm2d};
}

}  // namespace mithril
