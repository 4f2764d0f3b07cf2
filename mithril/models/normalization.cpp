#include "mithril/models/normalization.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// x * weight + bias, where they are wanted; `unit` is a shape that lets a [C] weight meet the
// channels of x.
Connection affine(Model& model, Connection x, const CheckedArguments& arguments,
                  const ShapeSpec& parameter,
                  const std::function<Connection(const Connection&)>& align) {
  if (arguments.flag("use_scale")) {
    const Connection weight = model["weight"];
    model.set_shapes({{"weight", parameter}});
    x = x * align(weight);
    model.set_initializer("weight", {.law = Initializer::Law::ones});
  }
  if (arguments.flag("use_bias")) {
    const Connection bias = model["bias"];
    model.set_shapes({{"bias", parameter}});
    x = x + align(bias);
    model.set_initializer("bias", {.law = Initializer::Law::zeros});
  }
  return x;
}

Connection per_channel(const Connection& x) { return x.reshape({1, -1, 1, 1}); }

Model build_layer_norm(const CheckedArguments& arguments) {
  Model model = model_of_class("LayerNorm");
  const Connection input = model["input"];
  model.set_shapes({{"input", {rest(), "D"}}});
  const Connection centred = input - input.mean(-1, true);
  const Connection variance = input.var(-1, true);
  Connection output = centred / (variance + arguments.real("eps")).sqrt();
  output = affine(model, output, arguments, {"D"}, [](const Connection& x) { return x; });
  model.expose_keys({{"output", output}});
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

Model build_batch_norm2d(const CheckedArguments& arguments) {
  Model model = model_of_class("BatchNorm2D");
  const Connection input = model["input"], running_mean = model["running_mean"],
                   running_var = model["running_var"];
  const DimSpec channels = arguments.has("num_features")
                               ? DimSpec(arguments.integer("num_features"))
                               : DimSpec(std::string("C"));
  const ShapeSpec per_channel_shape(std::vector<DimSpec>{channels});
  model.set_shapes({{"input", ShapeSpec(std::vector<DimSpec>{Any{}, channels, Any{}, Any{}})},
                    {"running_mean", per_channel_shape},
                    {"running_var", per_channel_shape}});
  model.set_differentiability({{"running_mean", false}, {"running_var", false}});
  const bool inference = arguments.flag("inference");
  const Binding axes(std::vector<Binding>{0, 2, 3});
  const Connection mean = inference ? per_channel(running_mean) : input.mean(axes, true);
  const Connection variance = inference ? per_channel(running_var) : input.var(axes, true);
  Connection output = (input - mean) / (variance + arguments.real("eps")).sqrt();
  output = affine(model, output, arguments, per_channel_shape, per_channel);
  std::vector<std::pair<std::string, Connection>> outputs{{"output", output}};
  if (!inference) {
    const double momentum = arguments.real("momentum");
    outputs.emplace_back("new_running_mean",
                         running_mean * (1.0 - momentum) + input.mean(axes) * momentum);
    outputs.emplace_back("new_running_var",
                         running_var * (1.0 - momentum) + input.var(axes, false, 1.0) * momentum);
  }
  model.expose_keys(outputs);
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

ModelDef define_layer_norm();
ModelDef define_layer_norm() {
  return {.name = "LayerNorm",
          .doc = "Normalises the last axis. Ports: input [..., D], weight [D], bias [D], output.",
          .arguments = {{"use_scale", "bool", true, "whether there is a weight"},
                        {"use_bias", "bool", true, "whether there is a bias"},
                        {"eps", "float", 1e-5, "added to the variance"}},
          .build = build_layer_norm};
}

ModelDef define_batch_norm2d();
ModelDef define_batch_norm2d() {
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
