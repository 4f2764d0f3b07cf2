#include "mithril/models/normalization.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

double eps_of(const CheckedArguments& arguments) {
  if (!(arguments.real("eps") >= 0)) arguments.reject("eps", "at least 0");
  return arguments.real("eps");
}

double momentum_of(const CheckedArguments& arguments) {
  const double momentum = arguments.real("momentum");
  if (!(momentum >= 0 && momentum <= 1)) arguments.reject("momentum", "at least 0 and at most 1");
  return momentum;
}

// Binds weight and bias to the ports of these names, if the arguments ask for them.
void bind_affine(Model& model, const CheckedArguments& arguments, Bindings& bindings) {
  if (arguments.flag("use_scale")) {
    model["weight"];
    bindings.emplace_back("weight", "weight");
    model.set_initializer("weight", {.distribution = Initializer::Distribution::ones});
  }
  if (arguments.flag("use_bias")) {
    model["bias"];
    bindings.emplace_back("bias", "bias");
    model.set_initializer("bias", {.distribution = Initializer::Distribution::zeros});
  }
}

Model build_layer_norm(const CheckedArguments& arguments) {
  Model model = model_of_class("LayerNorm");
  model["input"];
  Bindings bindings{{"input", "input"}, {"output", "output"}};
  bind_affine(model, arguments, bindings);
  bindings.emplace_back("eps", IOKey{.name = "eps", .value = Datum(eps_of(arguments))});
  model |= Model::op("layer_norm")(bindings);
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

// `after`: the dims of the input after the channels.
Model batch_norm(const char* name, const CheckedArguments& arguments, std::vector<DimSpec> after) {
  Model model = model_of_class(name);
  const Arguments eps{{"eps", eps_of(arguments)}};
  const Arguments moving{{"eps", eps_of(arguments)}, {"momentum", momentum_of(arguments)}};
  const Datum& mode = arguments["inference"];
  model["input"];
  std::vector<DimSpec> dims{Any{}, arguments.size("num_features")};
  dims.insert(dims.end(), after.begin(), after.end());
  model.set_shapes({{"input", ShapeSpec(std::move(dims))}});
  for (const char* key : {"running_mean", "running_var"}) model[key];
  Bindings ports{{"input", "input"}};
  bind_affine(model, arguments, ports);
  Bindings of_batch = ports, by_statistics = std::move(ports);
  for (const char* key : {"running_mean", "running_var"}) of_batch.emplace_back(key, key);
  by_statistics.insert(by_statistics.end(),
                       {{"mean", "running_mean"}, {"variance", "running_var"}});
  const Model training = Model::op("batch_norm_training", moving);
  const Model inference = Model::op("batch_norm_inference", eps);
  model |= training(of_batch);
  model |= inference(by_statistics);
  model |= Model::op("by_mode")({{"training", training.at("output")},
                                 {"inference", inference.at("output")},
                                 {"is_inference", mode},
                                 {"output", "output"}});
  bind_next_state(model, "running_mean", training.at("new_running_mean"), mode,
                  Tensor::scalar(0.0f));
  bind_next_state(model, "running_var", training.at("new_running_var"), mode, Tensor::scalar(1.0f));
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

// A group norm of any rank: normalises the elements of each group, then scales each channel.
Model build_group_norm(const CheckedArguments& arguments) {
  Model model = model_of_class("GroupNorm");
  const int64_t groups = arguments.integer("num_groups");
  if (groups < 1) arguments.reject("num_groups", "at least 1");
  const Connection input = model["input"], eps = model["eps"];
  model.set_values({{"eps", Datum(eps_of(arguments))}});
  model.set_shapes({{"input", {"N", "C", rest()}}});
  const Connection rows = apply("flatten", {input, 1, -1});  // of a rank that is known
  const Connection batch = rows.shape()[0];
  Connection output = apply("layer_norm", {rows.reshape({batch, groups, -1}), none, none, eps});
  const bool scales = arguments.flag("use_scale"), shifts = arguments.flag("use_bias");
  if (scales || shifts) {
    const Connection channels = model[scales ? "weight" : "bias"].shape()[0];
    output = output.reshape({batch, channels, -1});
  }
  if (scales) output = output * model["weight"].reshape({-1, 1});
  if (shifts) output = output + model["bias"].reshape({-1, 1});
  for (const char* key : {"weight", "bias"}) {
    if (!(key[0] == 'w' ? scales : shifts)) continue;
    model.set_shapes({{key, {"C"}}}).set_types({{key, kind::float_tensor}});
    model.set_initializer(key, {.distribution = key[0] == 'w' ? Initializer::Distribution::ones
                                                              : Initializer::Distribution::zeros});
  }
  model.expose_keys({{"output", apply("reshape_like", {output, input})}});
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

Model build_rms_norm(const CheckedArguments& arguments) {
  Model model = model_of_class("RMSNorm");
  const Connection input = model["input"];
  model.set_shapes({{"input", {rest(), "D"}}});
  const Connection x = widened(input), mean = apply("square", {x}).mean(-1, true);
  Connection output = x / (mean + eps_of(arguments)).sqrt();
  if (arguments.flag("use_scale")) {
    output = output * model["weight"];
    model.set_shapes({{"weight", {"D"}}}).set_types({{"weight", kind::float_tensor}});
    model.set_initializer("weight", {.distribution = Initializer::Distribution::ones});
  }
  model.expose_keys({{"output", narrowed(output, {input})}});
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

Arguments given(const BatchNormOptions& options) {
  return {{"num_features", options.num_features ? Datum(*options.num_features) : Datum()},
          {"use_scale", options.use_scale},
          {"use_bias", options.use_bias},
          {"eps", options.eps},
          {"momentum", options.momentum},
          {"inference", mode_of(options.inference)}};
}

std::vector<ArgumentDef> batch_norm_arguments() {
  return {{"num_features", "int|none", Datum(), "channels; None: inferred"},
          {"use_scale", "bool", true, "whether there is a weight"},
          {"use_bias", "bool", true, "whether there is a bias"},
          {"eps", "float", 1e-5, "added to the variance"},
          {"momentum", "float", 0.1, "weight of the batch in the running statistics"},
          mode_argument("normalise with the running statistics, and leave them")};
}

}  // namespace

Model LayerNorm(const LayerNormOptions& options) {
  return make_model(
      "LayerNorm",
      {{"use_scale", options.use_scale}, {"use_bias", options.use_bias}, {"eps", options.eps}});
}

Model GroupNorm(const GroupNormOptions& options) {
  return make_model("GroupNorm", {{"num_groups", options.num_groups},
                                  {"use_scale", options.use_scale},
                                  {"use_bias", options.use_bias},
                                  {"eps", options.eps}});
}

Model RMSNorm(const RMSNormOptions& options) {
  return make_model("RMSNorm", {{"use_scale", options.use_scale}, {"eps", options.eps}});
}

Model BatchNorm1D(const BatchNormOptions& options) {
  return make_model("BatchNorm1D", given(options));
}
Model BatchNorm2D(const BatchNormOptions& options) {
  return make_model("BatchNorm2D", given(options));
}

ModelDef define_layer_norm_model();
ModelDef define_layer_norm_model() {
  return {
      .name = "LayerNorm",
      .doc = "Normalises the input along the last axis (https://arxiv.org/abs/1607.06450).",
      .ports = {{"input", "[..., D]"}, {"weight", "[D]"}, {"bias", "[D]"}, {"output", "[..., D]"}},
      .arguments = {{"use_scale", "bool", true, "whether there is a weight"},
                    {"use_bias", "bool", true, "whether there is a bias"},
                    {"eps", "float", 1e-5, "added to the variance"}},
      .build = build_layer_norm};
}

ModelDef define_group_norm();
ModelDef define_group_norm() {
  return {
      .name = "GroupNorm",
      .doc = "Normalises each group of channels of each sample (https://arxiv.org/abs/1803.08494).",
      .ports = {{"input", "[N, C, ...]"},
                {"weight", "[C]"},
                {"bias", "[C]"},
                {"output", "[N, C, ...]"}},
      .arguments = {{"num_groups", "int", 32, "the number of groups of channels"},
                    {"use_scale", "bool", true, "whether there is a weight"},
                    {"use_bias", "bool", true, "whether there is a bias"},
                    {"eps", "float", 1e-5, "added to the variance"}},
      .build = build_group_norm};
}

ModelDef define_rms_norm();
ModelDef define_rms_norm() {
  return {.name = "RMSNorm",
          .doc =
              "Divides the input by its root mean square along the last axis "
              "(https://arxiv.org/abs/1910.07467).",
          .ports = {{"input", "[..., D]"}, {"weight", "[D]"}, {"output", "[..., D]"}},
          .arguments = {{"use_scale", "bool", true, "whether there is a weight"},
                        {"eps", "float", 1e-5, "added to the mean square"}},
          .build = build_rms_norm};
}

ModelDef define_batch_norm1d();
ModelDef define_batch_norm1d() {
  return {
      .name = "BatchNorm1D",
      .doc = "Normalises each channel over the batch.",
      .ports = {{"input", "[N, C] or [N, C, L]"},
                {"weight", "[C]"},
                {"bias", "[C]"},
                {"output", "[N, C] or [N, C, L]"},
                {"running_mean", "[C]", "a state"},
                {"running_var", "[C]", "a state"}},
      .arguments = batch_norm_arguments(),
      .build = [](const CheckedArguments& a) { return batch_norm("BatchNorm1D", a, {Rest{}}); }};
}

ModelDef define_batch_norm2d_model();
ModelDef define_batch_norm2d_model() {
  return {.name = "BatchNorm2D",
          .doc = "Normalises each channel over the batch.",
          .ports = {{"input", "[N, C, H, W]"},
                    {"weight", "[C]"},
                    {"bias", "[C]"},
                    {"output", "[N, C, H, W]"},
                    {"running_mean", "[C]", "a state"},
                    {"running_var", "[C]", "a state"}},
          .arguments = batch_norm_arguments(),
          .build = [](const CheckedArguments& a) {
            return batch_norm("BatchNorm2D", a, {Any{}, Any{}});
          }};
}

}  // namespace mithril
