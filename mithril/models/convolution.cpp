#include "mithril/models/convolution.hpp"

#include "mithril/models/builder.hpp"
#include "mithril/models/padding.hpp"

namespace mithril {
namespace {

std::vector<DimSpec> weight_shape(const CheckedArguments& arguments, const std::string& channels,
                                  size_t axes) {
  std::vector<DimSpec> dims{
      arguments.has(channels) ? DimSpec(arguments.integer(channels)) : DimSpec(Any{}), Any{}};
  if (!arguments.has("kernel_size")) {
    dims.resize(2 + axes, Any{});
    return dims;
  }
  std::vector<int64_t> kernel = arguments.ints("kernel_size");
  if (kernel.size() == 1) kernel.resize(axes, kernel[0]);
  if (kernel.size() != axes)
    arguments.reject("kernel_size", "an int or a tuple of " + std::to_string(axes));
  for (const int64_t size : kernel) {
    if (size < 1) arguments.reject("kernel_size", "sizes of at least 1");
    dims.emplace_back(size);
  }
  return dims;
}

Model convolution(const std::string& name, const CheckedArguments& arguments,
                  const std::string& channels, size_t axes) {
  if (arguments.has(channels) && arguments.integer(channels) < 1)
    arguments.reject(channels, "at least 1");
  Model model = model_of_class(name);
  model["input"];
  const Connection weight = model["weight"];
  model.set_shapes({{"weight", ShapeSpec(weight_shape(arguments, channels, axes))}});
  model.set_initializer("weight", {.law = Initializer::Law::uniform_fan_in});
  Bindings bindings{{"input", "input"}, {"weight", "weight"}, {"output", "output"}};
  bindings.emplace_back("padding", padding_binding(arguments, axes, &weight));
  for (const char* port : {"stride", "dilation"})
    bindings.emplace_back(port, IOKey{.name = port, .value = arguments[port]});
  if (axes == 2)
    bindings.emplace_back("groups", IOKey{.name = "groups", .value = arguments["groups"]});
  if (arguments.flag("use_bias")) {
    model["bias"];
    bindings.emplace_back("bias", "bias");
  }
  model |= Model::op(axes == 2 ? "conv2d" : "conv1d")(bindings);
  if (arguments.flag("use_bias"))
    model.set_initializer("bias", {.law = Initializer::Law::uniform_fan_in, .fan_of = "weight"});
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

std::vector<ArgumentDef> arguments_of(const std::string& channels, bool required, bool groups) {
  const std::optional<Datum> open = required ? std::nullopt : std::optional<Datum>(Datum());
  std::vector<ArgumentDef> defs = {
      {"kernel_size", required ? "int|tuple" : "int|tuple|none", open,
       "an int or one for each axis"},
      {channels, required ? "int" : "int|none", open, "output channels"},
      {"stride", "int|tuple", 1, "an int or one for each axis"},
      padding_argument("zeros on each side"),
      {"dilation", "int|tuple", 1, "distance between the elements of the kernel"},
  };
  if (groups)
    defs.push_back({"groups", "int", 1, "input and output channels fall into so many groups"});
  defs.push_back({"use_bias", "bool", true, "whether there is a bias [channels]"});
  return defs;
}

template <typename Options>
Arguments inferable(const Options& options) {
  return {{"kernel_size", options.kernel_size},
          {"out_channels", options.out_channels ? Datum(*options.out_channels) : Datum()},
          {"stride", options.stride},
          {"padding", options.padding},
          {"dilation", options.dilation},
          {"use_bias", options.use_bias}};
}

}  // namespace

Model Conv2d(const Conv2dOptions& options) {
  return make_model("Conv2d", {{"filters", options.filters},
                               {"kernel_size", options.kernel_size},
                               {"stride", options.stride},
                               {"padding", options.padding},
                               {"dilation", options.dilation},
                               {"groups", options.groups},
                               {"use_bias", options.use_bias}});
}

Model Conv1d(const Conv1dOptions& options) {
  return make_model("Conv1d", {{"filters", options.filters},
                               {"kernel_size", options.kernel_size},
                               {"stride", options.stride},
                               {"padding", options.padding},
                               {"dilation", options.dilation},
                               {"use_bias", options.use_bias}});
}

Model Convolution2D(const Convolution2DOptions& options) {
  Arguments arguments = inferable(options);
  arguments.emplace_back("groups", options.groups);
  return make_model("Convolution2D", arguments);
}

Model Convolution1D(const Convolution1DOptions& options) {
  return make_model("Convolution1D", inferable(options));
}

ModelDef define_convolution2d();
ModelDef define_convolution2d() {
  return {.name = "Convolution2D",
          .doc =
              "2-D convolution. Ports: input [N, C, H, W], weight [out_channels, C / groups, Kh, "
              "Kw], bias [out_channels], stride, padding, dilation, groups, output [N, "
              "out_channels, Ho, Wo].",
          .arguments = arguments_of("out_channels", false, true),
          .build = [](const CheckedArguments& a) {
            return convolution("Convolution2D", a, "out_channels", 2);
          }};
}

ModelDef define_convolution1d();
ModelDef define_convolution1d() {
  return {.name = "Convolution1D",
          .doc =
              "1-D convolution. Ports: input [N, C, L], weight [out_channels, C, K], bias "
              "[out_channels], stride, padding, dilation, output [N, out_channels, Lo].",
          .arguments = arguments_of("out_channels", false, false),
          .build = [](const CheckedArguments& a) {
            return convolution("Convolution1D", a, "out_channels", 1);
          }};
}

ModelDef define_conv2d_model();
ModelDef define_conv2d_model() {
  return {
      .name = "Conv2d",
      .doc =
          "2-D convolution with so many filters. Ports: input [N, C, H, W], weight [filters, C / "
          "groups, Kh, Kw], bias [filters], stride, padding, dilation, groups, output [N, filters, "
          "Ho, Wo].",
      .arguments = arguments_of("filters", true, true),
      .build = [](const CheckedArguments& a) { return convolution("Conv2d", a, "filters", 2); }};
}

ModelDef define_conv1d_model();
ModelDef define_conv1d_model() {
  return {
      .name = "Conv1d",
      .doc =
          "1-D convolution with so many filters. Ports: input [N, C, L], weight [filters, C, K], "
          "bias [filters], stride, padding, dilation, output [N, filters, Lo].",
      .arguments = arguments_of("filters", true, false),
      .build = [](const CheckedArguments& a) { return convolution("Conv1d", a, "filters", 1); }};
}

}  // namespace mithril
