#include "mithril/models/convolution3d.hpp"

#include "mithril/models/axis_sizes.hpp"
#include "mithril/models/builder.hpp"
#include "mithril/models/window_places.hpp"

namespace mithril {
namespace {

// How the window moves over each of some axes.
struct ConvolutionArguments {
  ConvolutionArguments(const CheckedArguments& arguments, size_t axes)
      : filters(arguments.integer("filters")),
        groups(arguments.integer("groups")),
        kernel(axis_sizes(arguments, "kernel_size", 1, axes)),
        stride(axis_sizes(arguments, "stride", 1, axes)),
        padding(axis_sizes(arguments, "padding", 0, axes)),
        dilation(axis_sizes(arguments, "dilation", 1, axes)) {
    if (groups < 1) arguments.reject("groups", "at least 1");
    if (filters < 1 || filters % groups != 0)
      arguments.reject("filters", "a positive multiple of groups");
  }
  int64_t span(size_t axis) const { return dilation[axis] * (kernel[axis] - 1) + 1; }
  // The sizes of the last two axes.
  static Datum plane(const std::vector<int64_t>& sizes) {
    return Datum::ints({sizes[sizes.size() - 2], sizes.back()});
  }

  int64_t filters, groups;
  std::vector<int64_t> kernel, stride, padding, dilation;
};

Connection with_bias(Model& model, const CheckedArguments& arguments, Connection output,
                     std::vector<Binding> shape) {
  if (!arguments.flag("use_bias")) return output;
  output = output + model["bias"].reshape(Binding(std::move(shape)));
  model.set_shapes({{"bias", {arguments.integer("filters")}}});
  model.set_types({{"bias", kind::float_tensor}});
  model.set_initializer(
      "bias", {.distribution = Initializer::Distribution::uniform_fan_in, .fan_of = "weight"});
  return output;
}

// The taps along the depth become channels of a convolution over planes.
Model build_conv3d(const CheckedArguments& arguments) {
  const ConvolutionArguments window(arguments, 3);
  Model model = model_of_class("Conv3d");
  const Connection input = model["input"], weight = model["weight"];
  model.set_shapes(
      {{"input", {"N", any, any, any, any}},
       {"weight", {window.filters, any, window.kernel[0], window.kernel[1], window.kernel[2]}}});
  model.set_initializer("weight", {.distribution = Initializer::Distribution::uniform_fan_in});
  const Connection shape = input.shape();
  const int64_t added = window.padding[0];
  const Datum none_added = Datum::ints({0, 0});
  const Connection padded =
      apply("pad", {input, Datum(Tuple{none_added, none_added, Datum::ints({added, added}),
                                       none_added, none_added})});
  const Connection depth =
      floor_divide(shape[2] + (2 * added - window.span(0)), window.stride[0]) + 1;
  const Connection places =
      window_places(depth, window.kernel[0], window.stride[0], window.dilation[0]);
  const Connection planes = apply("gather", {padded, places, 2})  // [N, C, Do, Kd, H, W]
                                .transpose({0, 2, 1, 3, 4, 5})
                                .reshape({-1, shape[1] * window.kernel[0], shape[3], shape[4]});
  const Connection weights =
      weight.reshape({window.filters, -1, window.kernel[1], window.kernel[2]});
  const Connection output =
      apply("conv2d", {planes, weights, none, window.plane(window.stride),
                       window.plane(window.padding), window.plane(window.dilation), window.groups});
  const Connection out = output.shape();
  const Connection whole =
      output.reshape({shape[0], depth, window.filters, out[2], out[3]}).transpose({0, 2, 1, 3, 4});
  return finished(model, with_bias(model, arguments, whole, {-1, 1, 1, 1}));
}

// The size of the output along each axis, before the padding is taken off.
Connection transposed_size(const CheckedArguments& arguments, const ConvolutionArguments& window,
                           const Connection& shape, size_t axis) {
  const size_t axes = window.kernel.size();
  const int64_t extra = axis_sizes(arguments, "output_padding", 0, axes)[axis];
  if (extra >= window.stride[axis]) arguments.reject("output_padding", "less than the stride");
  return (shape[static_cast<int>(axis) + 2] - 1) * window.stride[axis] +
         (window.span(axis) + extra);
}

Model build_conv_transpose1d(const CheckedArguments& arguments) {
  const ConvolutionArguments window(arguments, 1);
  Model model = model_of_class("ConvTranspose1d");
  const Connection input = model["input"], weight = model["weight"];
  model.set_shapes({{"input", {"N", "C", any}},
                    {"weight", {"C", window.filters / window.groups, window.kernel[0]}}});
  model.set_initializer("weight", {.distribution = Initializer::Distribution::uniform_fan_in});
  const Connection shape = input.shape();
  const Connection size = transposed_size(arguments, window, shape, 0) - 2 * window.padding[0];
  const Connection like = apply("zeros", {Binding({shape[0], window.filters, 1, size})});
  const Connection rows =
      apply("conv2d_input_grad",
            {apply("expand_dims", {input, 2}), like, apply("expand_dims", {weight, 2}),
             Datum::ints({1, window.stride[0]}), Datum::ints({0, window.padding[0]}),
             Datum::ints({1, window.dilation[0]}), window.groups});
  const Connection output = apply("squeeze", {rows, 2});
  return finished(model, with_bias(model, arguments, output, {-1, 1}));
}

// A transposed convolution of each plane gives the taps along the depth as channels, which are
// added up.
Model build_conv_transpose3d(const CheckedArguments& arguments) {
  const ConvolutionArguments window(arguments, 3);
  Model model = model_of_class("ConvTranspose3d");
  const Connection input = model["input"], weight = model["weight"];
  model.set_shapes({{"input", {"N", "C", any, any, any}},
                    {"weight",
                     {"C", window.filters / window.groups, window.kernel[0], window.kernel[1],
                      window.kernel[2]}}});
  model.set_initializer("weight", {.distribution = Initializer::Distribution::uniform_fan_in});
  const Connection shape = input.shape();
  const Connection rows = transposed_size(arguments, window, shape, 1) - 2 * window.padding[1];
  const Connection columns = transposed_size(arguments, window, shape, 2) - 2 * window.padding[2];
  const Connection depth = transposed_size(arguments, window, shape, 0);
  const Connection planes =
      input.transpose({0, 2, 1, 3, 4}).reshape({-1, shape[1], shape[3], shape[4]});
  const int64_t channels = window.filters * window.kernel[0];
  const Connection like = apply("zeros", {Binding({shape[0] * shape[2], channels, rows, columns})});
  const Connection weights =
      weight.reshape({shape[1], channels / window.groups, window.kernel[1], window.kernel[2]});
  const Connection taps =
      apply("conv2d_input_grad",
            {planes, like, weights, window.plane(window.stride), window.plane(window.padding),
             window.plane(window.dilation), window.groups})
          .reshape({shape[0], shape[2], window.filters, window.kernel[0], rows, columns})
          .transpose({0, 2, 1, 3, 4, 5});
  const Connection places =
      window_places(shape[2], window.kernel[0], window.stride[0], window.dilation[0]);
  const Connection whole =
      apply("scatter_add",
            {taps, places,
             apply("zeros", {Binding({shape[0], window.filters, depth, rows, columns})}), 2});
  const Binding all = slice(none, none);
  const Connection output =
      whole.at({all, all, slice(window.padding[0], depth - window.padding[0])});
  return finished(model, with_bias(model, arguments, output, {-1, 1, 1, 1}));
}

std::vector<ArgumentDef> window_arguments_of(const std::string& sizes, bool transposed) {
  std::vector<ArgumentDef> defs = {
      {"filters", "int", {}, "output channels"},
      {"kernel_size", "int|tuple", {}, sizes},
      {"stride", "int|tuple", 1, sizes},
      {"padding", "int|tuple", 0,
       transposed ? "taken off each side of the output" : "zeros on each side"}};
  if (transposed)
    defs.push_back({"output_padding", "int|tuple", 0, "added to one side of the output"});
  defs.push_back({"dilation", "int|tuple", 1, "distance between elements of the kernel"});
  defs.push_back({"groups", "int", 1, "the number of groups of input and output channels"});
  defs.push_back({"use_bias", "bool", true, "whether there is a bias [filters]"});
  return defs;
}

Arguments given(const ConvTransposeOptions& options) {
  return {{"filters", options.filters},
          {"kernel_size", options.kernel_size},
          {"stride", options.stride},
          {"padding", options.padding},
          {"output_padding", options.output_padding},
          {"dilation", options.dilation},
          {"groups", options.groups},
          {"use_bias", options.use_bias}};
}

}  // namespace

Model Conv3d(const Conv3dOptions& options) {
  return make_model("Conv3d", {{"filters", options.filters},
                               {"kernel_size", options.kernel_size},
                               {"stride", options.stride},
                               {"padding", options.padding},
                               {"dilation", options.dilation},
                               {"groups", options.groups},
                               {"use_bias", options.use_bias}});
}
Model ConvTranspose1d(const ConvTransposeOptions& options) {
  return make_model("ConvTranspose1d", given(options));
}
Model ConvTranspose3d(const ConvTransposeOptions& options) {
  return make_model("ConvTranspose3d", given(options));
}

ModelDef define_conv3d_model();
ModelDef define_conv3d_model() {
  return {.name = "Conv3d",
          .doc = "3-D convolution.",
          .ports = {{"input", "[N, C, D, H, W]"},
                    {"weight", "[filters, C / groups, Kd, Kh, Kw]"},
                    {"bias", "[filters]"},
                    {"output", "[N, filters, Do, Ho, Wo]"}},
          .arguments = window_arguments_of("an int or one for each axis", false),
          .build = build_conv3d};
}

ModelDef define_conv_transpose1d();
ModelDef define_conv_transpose1d() {
  return {
      .name = "ConvTranspose1d",
      .doc = "1-D transposed convolution, the gradient of a convolution with respect to its input.",
      .ports = {{"input", "[N, C, L]"},
                {"weight", "[C, filters / groups, K]"},
                {"bias", "[filters]"},
                {"output", "[N, filters, Lo]"}},
      .arguments = window_arguments_of("an int", true),
      .build = build_conv_transpose1d};
}

ModelDef define_conv_transpose3d();
ModelDef define_conv_transpose3d() {
  return {
      .name = "ConvTranspose3d",
      .doc = "3-D transposed convolution, the gradient of a convolution with respect to its input.",
      .ports = {{"input", "[N, C, D, H, W]"},
                {"weight", "[C, filters / groups, Kd, Kh, Kw]"},
                {"bias", "[filters]"},
                {"output", "[N, filters, Do, Ho, Wo]"}},
      .arguments = window_arguments_of("an int or one for each axis", true),
      .build = build_conv_transpose3d};
}

}  // namespace mithril
