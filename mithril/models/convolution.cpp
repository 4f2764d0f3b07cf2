#include "mithril/models/convolution.hpp"

#include "mithril/models/builder.hpp"
#include "mithril/models/padding.hpp"

namespace mithril {
namespace {

std::vector<DimSpec> weight_shape(const CheckedArguments& arguments, size_t axes) {
  std::vector<DimSpec> dims{
      arguments.has("filters") ? DimSpec(arguments.integer("filters")) : DimSpec(Any{}), Any{}};
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

Model convolution(const std::string& name, const CheckedArguments& arguments, size_t axes) {
  if (arguments.has("filters") && arguments.integer("filters") < 1)
    arguments.reject("filters", "at least 1");
  Model model = model_of_class(name);
  model["input"];
  const Connection weight = model["weight"];
  model.set_shapes({{"weight", ShapeSpec(weight_shape(arguments, axes))}});
  model.set_initializer("weight", {.distribution = Initializer::Distribution::uniform_fan_in});
  Bindings bindings{{"input", "input"}, {"weight", "weight"}, {"output", "output"}};
  bindings.emplace_back("padding", padding_binding(arguments, axes, &weight));
  for (const char* port : {"stride", "dilation"})
    bindings.emplace_back(port, IOKey{.name = port, .value = arguments[port]});
  bindings.emplace_back("groups", IOKey{.name = "groups", .value = arguments["groups"]});
  if (arguments.flag("use_bias")) {
    model["bias"];
    bindings.emplace_back("bias", "bias");
  }
  model |= Model::op(axes == 2 ? "conv2d" : "conv1d")(bindings);
  if (arguments.flag("use_bias"))
    model.set_initializer(
        "bias", {.distribution = Initializer::Distribution::uniform_fan_in, .fan_of = "weight"});
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

std::vector<ArgumentDef> arguments_of(const std::string& channels) {
  return {
      {"kernel_size", "int|tuple|none", Datum(), "an int or one for each axis; None: inferred"},
      {channels, "int|none", Datum(), "output channels; None: inferred"},
      {"stride", "int|tuple", 1, "an int or one for each axis"},
      padding_argument("zeros on each side"),
      {"dilation", "int|tuple", 1, "distance between the elements of the kernel"},
      {"groups", "int", 1, "the number of groups of input and output channels"},
      {"use_bias", "bool", true, "whether there is a bias [channels]"},
  };
}

// A convolution by the name of the Python library, which calls its filters out_channels.
ModelDef alias(const std::string& name, const std::string& of, std::vector<DocumentedPort> ports) {
  return {.name = name,
          .doc = "An alias of " + of + ", with the argument out_channels in place of filters.",
          .ports = std::move(ports),
          .arguments = arguments_of("out_channels"),
          .alias_of = of,
          .renamed = {{"out_channels", "filters"}}};
}

template <typename Options>
Arguments given(const Options& options) {
  return {{"filters", options.filters ? Datum(*options.filters) : Datum()},
          {"kernel_size", options.kernel_size},
          {"stride", options.stride},
          {"padding", options.padding},
          {"dilation", options.dilation},
          {"groups", options.groups},
          {"use_bias", options.use_bias}};
}

}  // namespace

Model Conv2d(const Conv2dOptions& options) { return make_model("Conv2d", given(options)); }
Model Conv1d(const Conv1dOptions& options) { return make_model("Conv1d", given(options)); }

ModelDef define_conv2d_model();
ModelDef define_conv2d_model() {
  return {.name = "Conv2d",
          .doc = "2-D convolution.",
          .ports = {{"input", "[N, C, H, W]"},
                    {"weight", "[filters, C / groups, Kh, Kw]"},
                    {"bias", "[filters]"},
                    {"stride"},
                    {"padding"},
                    {"dilation"},
                    {"groups"},
                    {"output", "[N, filters, Ho, Wo]"}},
          .arguments = arguments_of("filters"),
          .build = [](const CheckedArguments& a) { return convolution("Conv2d", a, 2); }};
}

ModelDef define_conv1d_model();
ModelDef define_conv1d_model() {
  return {.name = "Conv1d",
          .doc = "1-D convolution.",
          .ports = {{"input", "[N, C, L]"},
                    {"weight", "[filters, C / groups, K]"},
                    {"bias", "[filters]"},
                    {"stride"},
                    {"padding"},
                    {"dilation"},
                    {"groups"},
                    {"output", "[N, filters, Lo]"}},
          .arguments = arguments_of("filters"),
          .build = [](const CheckedArguments& a) { return convolution("Conv1d", a, 1); }};
}

ModelDef define_convolution2d();
ModelDef define_convolution2d() {
  return alias("Convolution2D", "Conv2d",
               {{"input", "[N, C, H, W]"},
                {"weight", "[out_channels, C / groups, Kh, Kw]"},
                {"bias", "[out_channels]"},
                {"stride"},
                {"padding"},
                {"dilation"},
                {"groups"},
                {"output", "[N, out_channels, Ho, Wo]"}});
}

ModelDef define_convolution1d();
ModelDef define_convolution1d() {
  return alias("Convolution1D", "Conv1d",
               {{"input", "[N, C, L]"},
                {"weight", "[out_channels, C / groups, K]"},
                {"bias", "[out_channels]"},
                {"stride"},
                {"padding"},
                {"dilation"},
                {"groups"},
                {"output", "[N, out_channels, Lo]"}});
}

}  // namespace mithril
