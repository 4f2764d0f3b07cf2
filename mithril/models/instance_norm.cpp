#include "mithril/models/instance_norm.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

Model build_instance_norm(const CheckedArguments& arguments) {
  if (!(arguments.real("eps") >= 0)) arguments.reject("eps", "at least 0");
  Model model = model_of_class("InstanceNorm");
  const Connection input = model["input"];
  model.set_shapes({{"input", {"N", "C", any, rest()}}});
  const Connection rows = apply("flatten", {input, 2, -1});
  Connection output = apply("layer_norm", {rows, none, none, arguments["eps"]});
  const auto affine = [&](const char* key, Initializer::Distribution distribution) {
    const Connection column = model[key].reshape({-1, 1});
    model.set_shapes({{key, {"C"}}}).set_types({{key, kind::float_tensor}});
    model.set_initializer(key, {.distribution = distribution});
    return column;
  };
  if (arguments.flag("use_scale"))
    output = output * affine("weight", Initializer::Distribution::ones);
  if (arguments.flag("use_bias"))
    output = output + affine("bias", Initializer::Distribution::zeros);
  return finished(model, apply("reshape_like", {output, input}));
}

}  // namespace

Model InstanceNorm(InstanceNormOptions options) {
  return make_model(
      "InstanceNorm",
      {{"use_scale", options.use_scale}, {"use_bias", options.use_bias}, {"eps", options.eps}});
}

ModelDef define_instance_norm();
ModelDef define_instance_norm() {
  return {.name = "InstanceNorm",
          .doc = "Normalises each channel of each sample (https://arxiv.org/abs/1607.08022).",
          .ports = {{"input", "[N, C, L, ...]"},
                    {"weight", "[C]"},
                    {"bias", "[C]"},
                    {"output", "[N, C, L, ...]"}},
          .arguments = {{"use_scale", "bool", false, "whether there is a weight"},
                        {"use_bias", "bool", false, "whether there is a bias"},
                        {"eps", "float", 1e-5, "added to the variance"}},
          .build = build_instance_norm};
}

}  // namespace mithril
