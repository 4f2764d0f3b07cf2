#include "mithril/models/resampling.hpp"

#include <optional>
#include <vector>

#include "mithril/models/axis_sizes.hpp"
#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

Model build_conv_transpose2d(const CheckedArguments& arguments) {
  Model model = model_of_class("ConvTranspose2d");
  const int64_t filters = arguments.integer("filters"), groups = arguments.integer("groups");
  if (groups < 1) arguments.reject("groups", "at least 1");
  if (filters < 1 || filters % groups != 0)
    arguments.reject("filters", "a positive multiple of groups");
  const auto kernel = axis_sizes(arguments, "kernel_size", 1),
             stride = axis_sizes(arguments, "stride", 1),
             padding = axis_sizes(arguments, "padding", 0),
             extra = axis_sizes(arguments, "output_padding", 0),
             dilation = axis_sizes(arguments, "dilation", 1);
  const Connection input = model["input"], weight = model["weight"];
  model.set_shapes(
      {{"input", {"N", "C", any, any}}, {"weight", {"C", filters / groups, kernel[0], kernel[1]}}});
  model.set_initializer("weight", {.distribution = Initializer::Distribution::uniform_fan_in});
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
    model.set_initializer(
        "bias", {.distribution = Initializer::Distribution::uniform_fan_in, .fan_of = "weight"});
  }
  return finished(model, output);
}

// Columns: [...] -> [..., 1].
Connection column(const Connection& x) { return x.reshape({-1, 1}); }

// How an axis is resampled: from `size` pixels to `to`.
struct Resampling {
  Connection size;
  Binding to;                    // the number of new pixels
  std::optional<int64_t> scale;  // to / size, if it is a whole number that is known
  bool aligned = false;          // the centres of the outer pixels stay where they are

  // The coordinate of the centre of each new pixel, in units of old pixels.
  Connection centres() const {
    const Connection places = widened(apply("arange", {to}));
    if (scale && !aligned) return (places + 0.5) * (1.0 / static_cast<double>(*scale)) - 0.5;
    return aligned ? places * distance() : (places + 0.5) * distance() - 0.5;
  }
  // Between the centres of new pixels, in old ones.
  Connection distance() const {
    const Connection pixels = widened(size.tensor()), steps = widened(apply("to_tensor", {to}));
    if (!aligned) return pixels / steps;
    return (pixels - 1.0) / apply("maximum", {steps - 1.0, 1.0});
  }
  Connection last() const { return (size - 1).tensor(); }
};

// A filter for distances from 0: linear interpolation.
Connection triangle(const Connection& t) { return apply("relu", {1.0 - t}); }

// [to, size]: the weights of linear interpolation.
Connection linear_weights(const Resampling& axis) {
  const Connection kept = apply("minimum", {apply("relu", {axis.centres()}), axis.last()});
  return triangle((column(kept) - apply("arange", {axis.size})).abs());
}

// The same of the cubic convolution of Keys with a = -0.75: the two pixels on either side, in place
// of those outside the outer ones.
Connection cubic_weights(const Resampling& axis) {
  const Connection centres = axis.centres(), before = centres.floor(), part = centres - before;
  const auto near = [](const Connection& t) { return (t * 1.25 - 2.25) * t * t + 1.0; };
  const auto far = [](const Connection& t) { return ((t * -0.75 + 3.75) * t - 6.0) * t + 3.0; };
  const Connection pixels = apply("arange", {axis.size});
  const auto tap = [&](double offset, const Connection& weight) {
    const Connection place = apply("minimum", {apply("relu", {before + offset}), axis.last()});
    return apply("where", {column(place).eq(pixels), column(weight), 0.0});
  };
  return tap(-1.0, far(part + 1.0)) + tap(0.0, near(part)) + tap(1.0, near(1.0 - part)) +
         tap(2.0, far(2.0 - part));
}

// The cubic convolution of Keys with a = -0.5.
Connection cubic(const Connection& t) {
  const Connection near = (t * 1.5 - 2.5) * t * t + 1.0;
  const Connection far = ((t * -0.5 + 2.5) * t - 4.0) * t + 2.0;
  return apply("where", {t < 1.0, near, apply("where", {t < 2.0, far, 0.0})});
}

// The weights of a filter that is as wide as the new pixels where these are wider than the old
// ones, as in PyTorch (_compute_indices_min_size_weights_aa of UpSampleKernel.cpp) and Pillow
// (precompute_coeffs of Resample.c). With aligned corners, PyTorch changes the distance of the new
// pixels, not the place of the first.
Connection antialiased_weights(const Resampling& axis, Connection (*filter)(const Connection&)) {
  const Connection places = widened(apply("arange", {axis.to}));
  Connection distance = axis.distance();
  if (axis.aligned)  // a single pixel is not the mean of all
    distance = apply("where", {apply("to_tensor", {axis.to}) > 1, distance, 0.0});
  const Connection apart =
      (column((places + 0.5) * distance) - (apply("arange", {axis.size}) + 0.5)).abs();
  const Connection weights = filter(apart / apply("maximum", {distance, 1.0}));
  return weights / apply("sum", {weights, 1, true});
}

Connection weighed(const Connection& input, const Connection& rows, const Connection& columns) {
  return matmul(matmul(rows, input), apply("swapaxes", {columns, 0, 1}));
}

// The sizes of the output: those of the argument, or those of the input times the scale.
std::vector<Resampling> resampled_axes(const CheckedArguments& arguments, const Connection& input) {
  const Connection shape = input.shape();
  const bool sized = arguments.has("size");
  const std::vector<int64_t> numbers = axis_sizes(arguments, sized ? "size" : "scale_factor", 1);
  const bool aligned = arguments.flag("align_corners");
  std::vector<Resampling> axes;
  for (size_t axis = 0; axis < 2; ++axis) {
    const Connection size = shape[static_cast<int>(axis) + 2];
    const int64_t number = numbers[axis];
    if (sized) {
      axes.push_back({size, number, std::nullopt, aligned});
    } else {
      axes.push_back({size, size * number, number, aligned});
    }
  }
  return axes;
}

// The old pixel that each new one repeats.
Connection repeated_pixels(const Connection& input, const std::vector<Resampling>& axes) {
  Connection output = input;
  for (size_t axis = 0; axis < 2; ++axis) {
    const Resampling& along = axes[axis];
    const Connection places = apply("arange", {along.to});
    const Connection from = along.scale ? floor_divide(places, *along.scale)
                                        : floor_divide(places * along.size, along.to);
    output = apply("gather", {output, from, static_cast<int64_t>(axis) + 2});
  }
  return output;
}

Model build_upsample(const CheckedArguments& arguments) {
  Model model = model_of_class("Upsample");
  const Connection input = model["input"];
  model.set_shapes({{"input", {"N", "C", "H", "W"}}});
  const std::vector<Resampling> axes = resampled_axes(arguments, input);
  const std::string& mode = arguments.text("mode");
  const bool antialias = arguments.flag("antialias");
  if (mode == "nearest") {
    if (arguments.flag("align_corners"))
      arguments.reject("align_corners", "False for the mode \"nearest\"");
    if (antialias) arguments.reject("antialias", "False for the mode \"nearest\"");
    return finished(model, repeated_pixels(input, axes));
  }
  const bool linear = mode == "bilinear";
  const auto weights = [&](const Resampling& axis) {
    if (antialias) return antialiased_weights(axis, linear ? triangle : cubic);
    return linear ? linear_weights(axis) : cubic_weights(axis);
  };
  const Connection rows = narrowed(weights(axes[0]), {input});
  return finished(model, weighed(input, rows, narrowed(weights(axes[1]), {input})));
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
  constexpr std::string_view names[] = {"nearest", "bilinear", "bicubic"};
  return names[static_cast<size_t>(mode)];
}

Model Upsample(const UpsampleOptions& options) {
  return make_model("Upsample", {{"scale_factor", options.scale_factor},
                                 {"mode", std::string(name(options.mode))},
                                 {"size", options.size},
                                 {"align_corners", options.align_corners},
                                 {"antialias", options.antialias}});
}

ModelDef define_conv_transpose2d();
ModelDef define_conv_transpose2d() {
  return {
      .name = "ConvTranspose2d",
      .doc = "2-D transposed convolution, the gradient of a convolution with respect to its input.",
      .ports = {{"input", "[N, C, H, W]"},
                {"weight", "[C, filters / groups, Kh, Kw]"},
                {"bias", "[filters]"},
                {"output", "[N, filters, Ho, Wo]"}},
      .arguments = {{"filters", "int", {}, "output channels"},
                    {"kernel_size", "int|tuple", {}, "an int or one for each axis"},
                    {"stride", "int|tuple", 1, "an int or one for each axis"},
                    {"padding", "int|tuple", 0, "taken off each side of the output"},
                    {"output_padding", "int|tuple", 0, "added to one side of the output"},
                    {"dilation", "int|tuple", 1, "distance between elements of the kernel"},
                    {"groups", "int", 1, "the number of groups of input and output channels"},
                    {"use_bias", "bool", true, "whether there is a bias [filters]"}},
      .build = build_conv_transpose2d};
}

ModelDef define_upsample();
ModelDef define_upsample() {
  return {.name = "Upsample",
          .doc = "Resizes images.",
          .ports = {{"input", "[N, C, H, W]"},
                    {"output", "[N, C, H scale_factor, W scale_factor] or [N, C, *size]"}},
          .arguments = {{"scale_factor", "int|tuple", 2, "an int or one for each axis"},
                        {"mode",
                         "str",
                         "nearest",
                         "nearest, bilinear or bicubic",
                         {"nearest", "bilinear", "bicubic"}},
                        {"size", "int|tuple|none", Datum(),
                         "size of the output, in place of scale_factor"},
                        {"align_corners", "bool", false,
                         "the centres of the outer pixels stay where they are"},
                        {"antialias", "bool", false,
                         "whether a smaller image averages pixels, for bilinear and bicubic"}},
          .build = build_upsample};
}

}  // namespace mithril
