#include "mithril/models/images.hpp"

#include "mithril/models/axis_sizes.hpp"
#include "mithril/models/builder.hpp"
#include "mithril/models/window_places.hpp"

namespace mithril {
namespace {

// The options of a window that moves over two axes.
struct Windows {
  explicit Windows(const CheckedArguments& arguments)
      : kernel(axis_sizes(arguments, "kernel_size", 1)),
        stride(axis_sizes(arguments, "stride", 1)),
        padding(axis_sizes(arguments, "padding", 0)),
        dilation(axis_sizes(arguments, "dilation", 1)) {}

  Connection count(size_t axis, const Connection& size) const {
    const int64_t span = dilation[axis] * (kernel[axis] - 1) + 1;
    return floor_divide(size + (2 * padding[axis] - span), stride[axis]) + 1;
  }
  Connection places(size_t axis, const Connection& count) const {
    return window_places(count, kernel[axis], stride[axis], dilation[axis]);
  }
  // The positions along an axis with a known number of windows.
  Tensor places(size_t axis, int64_t count) const {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t tap = 0; tap < kernel[axis]; ++tap)
        all.push_back(i * stride[axis] + tap * dilation[axis]);
    }
    return Tensor::of({count, kernel[axis]}, all);
  }

  std::vector<int64_t> kernel, stride, padding, dilation;
};

Model build_unfold(const CheckedArguments& arguments) {
  const Windows windows(arguments);
  Model model = model_of_class("Unfold");
  const Connection input = model["input"];
  model.set_shapes({{"input", {"N", "C", "H", "W"}}});
  const Connection shape = input.shape();
  const int64_t rows = windows.padding[0], columns = windows.padding[1];
  Connection x = apply(
      "pad", {input, Datum(Tuple{Datum::ints({0, 0}), Datum::ints({0, 0}),
                                 Datum::ints({rows, rows}), Datum::ints({columns, columns})})});
  const Connection high = windows.count(0, shape[2]), wide = windows.count(1, shape[3]);
  x = apply("gather", {x, windows.places(0, high), 2});
  x = apply("gather", {x, windows.places(1, wide), 4});
  x = x.transpose({0, 1, 3, 5, 2, 4});  // [N, C, Kh, Kw, Ho, Wo]
  const int64_t taps = windows.kernel[0] * windows.kernel[1];
  return finished(model, x.reshape({shape[0], shape[1] * taps, -1}));
}

Model build_fold(const CheckedArguments& arguments) {
  const Windows windows(arguments);
  const std::vector<int64_t> size = axis_sizes(arguments, "output_size", 1);
  std::vector<int64_t> counts, padded;
  for (size_t axis = 0; axis < 2; ++axis) {
    padded.push_back(size[axis] + 2 * windows.padding[axis]);
    const int64_t room = padded[axis] - windows.dilation[axis] * (windows.kernel[axis] - 1) - 1;
    if (room < 0) arguments.reject("output_size", "at least the size of the window");
    counts.push_back(room / windows.stride[axis] + 1);
  }
  Model model = model_of_class("Fold");
  const Connection input = model["input"];
  model.set_shapes({{"input", {"N", any, counts[0] * counts[1]}}});
  const int64_t taps = windows.kernel[0] * windows.kernel[1];
  const Connection batch = input.shape()[0], channels = floor_divide(input.shape()[1], taps);
  Connection x =
      input.reshape({batch, channels, windows.kernel[0], windows.kernel[1], counts[0], counts[1]});
  x = x.transpose({0, 1, 4, 2, 5, 3});  // [N, C, Ho, Kh, Wo, Kw]
  const auto scattered = [&](size_t axis, const Binding& shape, int64_t along) {
    return apply("scatter_add",
                 {x, windows.places(axis, counts[axis]), apply("zeros", {shape}), along});
  };
  x = scattered(1, Binding({batch, channels, counts[0], windows.kernel[0], padded[1]}), 4);
  x = scattered(0, Binding({batch, channels, padded[0], padded[1]}), 2);
  const auto inner = [&](size_t axis) {
    return slice(windows.padding[axis], windows.padding[axis] + size[axis]);
  };
  return finished(model, x.at({ellipsis, inner(0), inner(1)}));
}

int64_t factor_of(const CheckedArguments& arguments, const char* name) {
  const int64_t factor = arguments.integer(name);
  if (factor < 1) arguments.reject(name, "at least 1");
  return factor;
}

Model build_pixel_shuffle(const CheckedArguments& arguments) {
  const int64_t factor = factor_of(arguments, "upscale_factor");
  Model model = model_of_class("PixelShuffle");
  const Connection input = model["input"];
  model.set_shapes({{"input", {"N", any, "H", "W"}}});
  const Connection shape = input.shape(), channels = floor_divide(shape[1], factor * factor);
  const Connection apart = input.reshape({shape[0], channels, factor, factor, shape[2], shape[3]});
  return finished(model, apart.transpose({0, 1, 4, 2, 5, 3})
                             .reshape({shape[0], channels, shape[2] * factor, shape[3] * factor}));
}

Model build_pixel_unshuffle(const CheckedArguments& arguments) {
  const int64_t factor = factor_of(arguments, "downscale_factor");
  Model model = model_of_class("PixelUnshuffle");
  const Connection input = model["input"];
  model.set_shapes({{"input", {"N", "C", any, any}}});
  const Connection shape = input.shape();
  const Connection rows = floor_divide(shape[2], factor), columns = floor_divide(shape[3], factor);
  const Connection apart = input.reshape({shape[0], shape[1], rows, factor, columns, factor});
  return finished(model, apart.transpose({0, 1, 3, 5, 2, 4})
                             .reshape({shape[0], shape[1] * (factor * factor), rows, columns}));
}

std::vector<ArgumentDef> window_arguments(std::vector<ArgumentDef> before) {
  before.insert(before.end(),
                {{"kernel_size", "int|tuple", {}, "size of the window"},
                 {"stride", "int|tuple", 1, "an int or one for each axis"},
                 {"padding", "int|tuple", 0, "zeros on each side"},
                 {"dilation", "int|tuple", 1, "distance between the elements of a window"}});
  return before;
}

template <typename Options>
Arguments windows_of(const Options& options) {
  return {{"kernel_size", options.kernel_size},
          {"stride", options.stride},
          {"padding", options.padding},
          {"dilation", options.dilation}};
}

}  // namespace

Model Unfold(const UnfoldOptions& options) { return make_model("Unfold", windows_of(options)); }
Model Fold(const FoldOptions& options) {
  Arguments arguments = windows_of(options);
  arguments.emplace_back("output_size", options.output_size);
  return make_model("Fold", arguments);
}
Model PixelShuffle(PixelShuffleOptions options) {
  return make_model("PixelShuffle", {{"upscale_factor", options.upscale_factor}});
}
Model PixelUnshuffle(PixelUnshuffleOptions options) {
  return make_model("PixelUnshuffle", {{"downscale_factor", options.downscale_factor}});
}
ModelDef define_unfold();
ModelDef define_unfold() {
  return {.name = "Unfold",
          .doc = "Each window of an image as a column.",
          .ports = {{"input", "[N, C, H, W]"}, {"output", "[N, C * Kh * Kw, L] for L windows"}},
          .arguments = window_arguments({}),
          .build = build_unfold};
}

ModelDef define_fold();
ModelDef define_fold() {
  return {.name = "Fold",
          .doc = "Adds columns to the windows of an image: the transpose of Unfold.",
          .ports = {{"input", "[N, C * Kh * Kw, L]"}, {"output", "[N, C, *output_size]"}},
          .arguments =
              window_arguments({{"output_size", "int|tuple", {}, "an int or one for each axis"}}),
          .build = build_fold};
}

ModelDef define_pixel_shuffle();
ModelDef define_pixel_shuffle() {
  return {.name = "PixelShuffle",
          .doc = "Rearranges channels into pixels (https://arxiv.org/abs/1609.05158).",
          .ports = {{"input", "[N, C * r * r, H, W]"}, {"output", "[N, C, H * r, W * r]"}},
          .arguments = {{"upscale_factor", "int", {}, "r"}},
          .build = build_pixel_shuffle};
}

ModelDef define_pixel_unshuffle();
ModelDef define_pixel_unshuffle() {
  return {.name = "PixelUnshuffle",
          .doc = "Rearranges pixels into channels, the inverse of PixelShuffle.",
          .ports = {{"input", "[N, C, H * r, W * r]"}, {"output", "[N, C * r * r, H, W]"}},
          .arguments = {{"downscale_factor", "int", {}, "r"}},
          .build = build_pixel_unshuffle};
}

}  // namespace mithril
