#include "mithril/models/resampling.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// The two items of an argument that is one int for both axes, or a tuple.
std::vector<int64_t> pair_of(const CheckedArguments& arguments, const char* name, int64_t least) {
  std::vector<int64_t> sizes = arguments.ints(name);
  if (sizes.size() == 1) sizes.push_back(sizes.front());
  if (sizes.size() != 2) arguments.reject(name, "an int or a tuple of 2");
  for (const int64_t size : sizes) {
    if (size < least) arguments.reject(name, "at least " + std::to_string(least));
  }
  return sizes;
}

Model build_conv_transpose2d(const CheckedArguments& arguments) {
  Model model = model_of_class("ConvTranspose2d");
  const int64_t filters = arguments.integer("filters"), groups = arguments.integer("groups");
  if (groups < 1) arguments.reject("groups", "at least 1");
  if (filters < 1 || filters % groups != 0)
    arguments.reject("filters", "a positive multiple of groups");
  const auto kernel = pair_of(arguments, "kernel_size", 1),
             stride = pair_of(arguments, "stride", 1), padding = pair_of(arguments, "padding", 0),
             extra = pair_of(arguments, "output_padding", 0),
             dilation = pair_of(arguments, "dilation", 1);
  const Connection input = model["input"], weight = model["weight"];
  model.set_shapes(
      {{"input", {"N", "C", any, any}}, {"weight", {"C", filters / groups, kernel[0], kernel[1]}}});
  model.set_initializer("weight", {.law = Initializer::Law::uniform_fan_in});
  const Connection shape = input.shape();
  const auto size = [&](size_t i) {
    if (extra[i] >= std::max(stride[i], dilation[i]))
      arguments.reject("output_padding", "less than the stride or the dilation");
    const int64_t more = dilation[i] * (kernel[i] - 1) + extra[i] + 1 - 2 * padding[i];
    return (shape[static_cast<int>(i) + 2] - 1) * stride[i] + more;
  };
  const Connection like = apply("zeros", {Binding({shape[0], filters, size(0), size(1)})});
  Connection output =
      apply("conv2d_input_grad", {input, like, weight, Datum::ints(stride), Datum::ints(padding),
                                  Datum::ints(dilation), groups});
  if (arguments.flag("use_bias")) {
    output = output + model["bias"].reshape({-1, 1, 1});
    model.set_shapes({{"bias", {filters}}}).set_types({{"bias", kind::float_tensor}});
    model.set_initializer("bias", {.law = Initializer::Law::uniform_fan_in, .fan_of = "weight"});
  }
  return finished(model, output);
}

// Columns: [...] -> [..., 1].
Connection column(const Connection& x) { return x.reshape({-1, 1}); }

// [size scale, size]: what each pixel between the centres of others takes of them.
Connection linear_weights(const Connection& size, int64_t scale) {
  const Connection places = apply("arange", {size * scale});
  const double step = 1.0 / static_cast<double>(scale);
  const Connection last = (size - 1).tensor();
  const Connection centres = (places + 0.5) * step - 0.5;
  const Connection kept = apply("minimum", {apply("relu", {centres}), last});
  const Connection apart = (column(kept) - apply("arange", {size})).abs();
  return apply("relu", {1.0 - apart});
}

// [to, size]: the mean of each window.
Connection mean_weights(const Connection& size, int64_t to) {
  const Connection places = apply("arange", {size}), windows = apply("arange", {to});
  const Connection begin = column(floor_divide(windows * size, to));
  const Connection end = column(-floor_divide(-(windows + 1) * size, to));
  const Connection inside = (begin <= places) & (places < end);
  return inside.cast(DType::int64) / (end - begin);
}

Connection weighed(const Connection& input, const Connection& rows, const Connection& columns) {
  return matmul(matmul(rows, input), apply("swapaxes", {columns, 0, 1}));
}

Model build_upsample(const CheckedArguments& arguments) {
  Model model = model_of_class("Upsample");
  const std::vector<int64_t> scale = pair_of(arguments, "scale_factor", 1);
  const Connection input = model["input"];
  model.set_shapes({{"input", {"N", "C", "H", "W"}}});
  const Connection shape = input.shape(), rows = shape[2], columns = shape[3];
  if (arguments.text("mode") == "bilinear") {
    return finished(
        model, weighed(input, linear_weights(rows, scale[0]), linear_weights(columns, scale[1])));
  }
  const Connection apart = input.reshape({shape[0], shape[1], rows, 1, columns, 1});
  const Connection repeated = apply(
      "broadcast_to", {apart, Binding({shape[0], shape[1], rows, scale[0], columns, scale[1]})});
  return finished(model,
                  repeated.reshape({shape[0], shape[1], rows * scale[0], columns * scale[1]}));
}

Model build_adaptive_avg_pool2d(const CheckedArguments& arguments) {
  Model model = model_of_class("AdaptiveAvgPool2D");
  const Datum& given = arguments["output_size"];
  Tuple sizes{given, given};
  if (given.kind() == kind::tuple) sizes = given.tuple();
  if (sizes.size() != 2) arguments.reject("output_size", "an int or a tuple of 2");
  Connection output = model["input"];
  model.set_shapes({{"input", {"N", "C", "H", "W"}}});
  const Connection shape = output.shape();
  for (int axis = 0; axis < 2; ++axis) {
    const Datum& size = sizes[static_cast<size_t>(axis)];
    if (size.is_none()) continue;
    if (size.kind() != kind::int_value || size.integer() < 1)
      arguments.reject("output_size", "sizes of at least 1, or None");
    const Connection weights = mean_weights(shape[axis + 2], size.integer());
    output =
        axis == 0 ? matmul(weights, output) : matmul(output, apply("swapaxes", {weights, 0, 1}));
  }
  return finished(model, output);
}

}  // namespace

Model ConvTranspose2d(const ConvTranspose2dOptions& options) {
  return make_model("ConvTranspose2d", {{"filters", options.filters},
                                        {"kernel_size", options.kernel_size},
                                        {"stride", options.stride},
                                        {"padding", options.padding},
                                        {"output_padding", options.output_padding},
                                        {"dilation", options.dilation},
                                        {"groups", options.groups},
                                        {"use_bias", options.use_bias}});
}

std::string_view name(UpsampleMode mode) {
  return mode == UpsampleMode::bilinear ? "bilinear" : "nearest";
}

Model Upsample(const UpsampleOptions& options) {
  return make_model("Upsample", {{"scale_factor", options.scale_factor},
                                 {"mode", std::string(name(options.mode))}});
}

Model AdaptiveAvgPool2D(const AdaptiveAvgPool2DOptions& options) {
  return make_model("AdaptiveAvgPool2D", {{"output_size", options.output_size}});
}

ModelDef define_conv_transpose2d();
ModelDef define_conv_transpose2d() {
  return {.name = "ConvTranspose2d",
          .doc =
              "The reverse of a 2-D convolution in shape. Ports: input [N, C, H, W], weight [C, "
              "filters / groups, Kh, Kw], bias [filters], output [N, filters, Ho, Wo].",
          .arguments = {{"filters", "int", {}, "output channels"},
                        {"kernel_size", "int|tuple", {}, "an int or one for each axis"},
                        {"stride", "int|tuple", 1, "an int or one for each axis"},
                        {"padding", "int|tuple", 0, "taken off each side of the output"},
                        {"output_padding", "int|tuple", 0, "added to one side of the output"},
                        {"dilation", "int|tuple", 1, "distance between elements of the kernel"},
                        {"groups", "int", 1, "input and output channels fall into so many groups"},
                        {"use_bias", "bool", true, "whether there is a bias [filters]"}},
          .build = build_conv_transpose2d};
}

ModelDef define_upsample();
ModelDef define_upsample() {
  return {.name = "Upsample",
          .doc =
              "Larger images. Ports: input [N, C, H, W], output [N, C, H scale_factor, W "
              "scale_factor].",
          .arguments = {{"scale_factor", "int|tuple", 2, "an int or one for each axis"},
                        {"mode", "str", "nearest", "nearest or bilinear", {"nearest", "bilinear"}}},
          .build = build_upsample};
}

ModelDef define_adaptive_avg_pool2d();
ModelDef define_adaptive_avg_pool2d() {
  return {
      .name = "AdaptiveAvgPool2D",
      .doc =
          "Means of as many windows as the output has pixels. Ports: input [N, C, H, W], output "
          "[N, C, Ho, Wo].",
      .arguments = {{"output_size", "int|tuple", {}, "an int or one for each axis, or None"}},
      .build = build_adaptive_avg_pool2d};
}

}  // namespace mithril
