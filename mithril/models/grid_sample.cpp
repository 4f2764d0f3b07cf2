#include "mithril/models/grid_sample.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// One axis of the input: places in pixels, from 0 to size - 1.
class SampledAxis {
 public:
  SampledAxis(const Connection& size, const CheckedArguments& arguments)
      : size_(size),
        last_((size - 1).tensor()),
        padding_(arguments.text("padding_mode")),
        aligned_(arguments.flag("align_corners")) {}

  Connection place(const Connection& x) const {
    return aligned_ ? (x + 1.0) * last_ * 0.5 : ((x + 1.0) * size_.tensor() - 1.0) * 0.5;
  }
  // The coordinate after padding: coordinates outside of the image move into it.
  Connection padded(const Connection& x) const {
    if (padding_ == "zeros") return x;
    return within(padding_ == "border" ? x : reflected(x));
  }
  // The first pixel for NaN. At the first and the last pixel the slope is 0, as PyTorch's.
  Connection within(const Connection& x) const {
    return apply("where", {x > 0.0, apply("where", {x < last_, x, last_}), 0.0});
  }
  Connection index(const Connection& place) const { return within(place).cast(DType::int64); }
  // Whether there is a pixel at this whole place.
  Connection inside(const Connection& place) const { return (place >= 0.0) & (place <= last_); }

 private:
  // At the centres of the outer pixels if aligned, else at their borders.
  Connection reflected(const Connection& x) const {
    const double least = aligned_ ? 0.0 : -0.5;
    const Connection span = aligned_ ? apply("maximum", {last_, 1.0}) : size_.tensor() * 1.0;
    const Connection distance = (x - least).abs();
    const Connection rest = apply("fmod", {distance, span});
    const Connection is_even = apply("floor", {distance / span}) % 2.0 < 0.5;
    return apply("where", {is_even, rest, span - rest}) + least;
  }

  Connection size_, last_;
  std::string padding_;
  bool aligned_;
};

// A pixel next to a place along an axis, and its share.
struct SampledTap {
  Connection place, weight;
};

// The cubic convolution of Keys with a = -0.75, for a distance up to 1, and from 1 to 2.
Connection near_cubic(const Connection& t) { return (t * 1.25 - 2.25) * t * t + 1.0; }
Connection far_cubic(const Connection& t) { return ((t * -0.75 + 3.75) * t - 6.0) * t + 3.0; }

std::vector<SampledTap> sampled_taps(const SampledAxis& axis, const Connection& x,
                                     const std::string& mode) {
  if (mode == "nearest") return {{apply("round", {axis.padded(axis.place(x))}), {}}};
  const Connection place = mode == "bilinear" ? axis.padded(axis.place(x)) : axis.place(x);
  const Connection before = place.floor(), part = place - before;
  if (mode == "bilinear") return {{before, 1.0 - part}, {before + 1.0, part}};
  const auto tap = [&](double offset, const Connection& weight) {
    return SampledTap{axis.padded(before + offset), weight};
  };
  return {tap(-1, far_cubic(part + 1.0)), tap(0, near_cubic(part)), tap(1, near_cubic(1.0 - part)),
          tap(2, far_cubic(2.0 - part))};
}

// A pixel next to a place along some axes: its index among those of these axes.
struct SampledPixel {
  Connection index, is_inside;
  std::optional<Connection> weight;
};

// The pixels next to places x along a first axis, or along one more axis of this size.
std::vector<SampledPixel> pixels_along(const std::vector<SampledPixel>& before,
                                       const Connection& size, const Connection& x,
                                       const CheckedArguments& arguments) {
  const SampledAxis axis(size, arguments);
  const std::string& mode = arguments.text("mode");
  const std::vector<SampledTap> taps = sampled_taps(axis, x, mode);
  std::vector<SampledPixel> pixels;
  const auto add = [&](SampledPixel pixel, const SampledTap& tap) {
    if (mode != "nearest") pixel.weight = pixel.weight ? *pixel.weight * tap.weight : tap.weight;
    pixels.push_back(std::move(pixel));
  };
  if (before.empty()) {
    for (const SampledTap& tap : taps)
      add({axis.index(tap.place), axis.inside(tap.place), std::nullopt}, tap);
  }
  for (const SampledPixel& pixel : before) {
    for (const SampledTap& tap : taps) {
      add({pixel.index * size + axis.index(tap.place), pixel.is_inside & axis.inside(tap.place),
           pixel.weight},
          tap);
    }
  }
  return pixels;
}

// input [N, C, *sizes], grid [N, *places, axes]: the last axis of the grid begins with the
// coordinate along the last axis of the input.
Model sampled(Model model, int axes, const CheckedArguments& arguments) {
  const Connection input = model["input"], grid = model["grid"];
  const Connection shape = input.shape(), places = widened(grid);
  std::vector<SampledPixel> pixels;
  for (int axis = 0; axis < axes; ++axis) {
    const Connection x = places.at({ellipsis, axes - 1 - axis});
    pixels = pixels_along(pixels, shape[axis + 2], x, arguments);
  }
  const Connection flat = input.reshape({shape[0], shape[1], -1});
  std::vector<Binding> out = {shape[0], shape[1]};
  Connection count = grid.shape()[1];
  for (int axis = 1; axis <= axes; ++axis) {
    out.emplace_back(grid.shape()[axis]);
    if (axis > 1) count = count * grid.shape()[axis];
  }
  const auto of_channels = [](const Connection& x) { return apply("expand_dims", {x, 1}); };
  std::optional<Connection> sum;
  for (const SampledPixel& pixel : pixels) {
    const Connection all = apply("broadcast_to", {pixel.index.reshape({shape[0], 1, -1}),
                                                  Binding({shape[0], shape[1], count})});
    const Connection taken = apply("take_along_axis", {flat, all, 2}).reshape(Binding(out));
    Connection term = apply("where", {of_channels(pixel.is_inside), taken, 0.0});
    if (pixel.weight) term = term * of_channels(*pixel.weight);
    sum = sum ? *sum + term : term;
  }
  return finished(std::move(model), narrowed(*sum, {input, grid}));
}

Model build_grid_sample(const CheckedArguments& arguments) {
  Model model = model_of_class("GridSample");
  model["input"], model["grid"];
  model.set_shapes({{"input", {"N", "C", "H", "W"}}, {"grid", {"N", "Ho", "Wo", 2}}});
  return sampled(std::move(model), 2, arguments);
}

Model build_grid_sample3d(const CheckedArguments& arguments) {
  Model model = model_of_class("GridSample3d");
  model["input"], model["grid"];
  model.set_shapes({{"input", {"N", "C", "D", "H", "W"}}, {"grid", {"N", "Do", "Ho", "Wo", 3}}});
  return sampled(std::move(model), 3, arguments);
}

std::vector<ArgumentDef> sampling_arguments(const char* text, std::vector<std::string> modes) {
  return {{"mode", "str", "bilinear", text, std::move(modes)},
          {"padding_mode",
           "str",
           "zeros",
           "what is outside: zeros, the border, or a reflection",
           {"zeros", "border", "reflection"}},
          {"align_corners", "bool", false,
           "-1 and 1 are the centres of the outer pixels, not their borders"}};
}

}  // namespace

std::string_view name(GridSampleMode mode) {
  constexpr std::string_view names[] = {"bilinear", "nearest", "bicubic"};
  return names[static_cast<size_t>(mode)];
}
std::string_view name(GridSample3dMode mode) {
  constexpr std::string_view names[] = {"bilinear", "nearest"};
  return names[static_cast<size_t>(mode)];
}
std::string_view name(GridSamplePaddingMode mode) {
  constexpr std::string_view names[] = {"zeros", "border", "reflection"};
  return names[static_cast<size_t>(mode)];
}

Model GridSample(GridSampleOptions options) {
  return make_model("GridSample", {{"mode", std::string(name(options.mode))},
                                   {"padding_mode", std::string(name(options.padding_mode))},
                                   {"align_corners", options.align_corners}});
}

Model GridSample3d(GridSample3dOptions options) {
  return make_model("GridSample3d", {{"mode", std::string(name(options.mode))},
                                     {"padding_mode", std::string(name(options.padding_mode))},
                                     {"align_corners", options.align_corners}});
}

ModelDef define_grid_sample();
ModelDef define_grid_sample() {
  return {.name = "GridSample",
          .doc =
              "Samples an image at the points (x, y) of `grid`, with coordinates from -1 to 1 "
              "(https://arxiv.org/abs/1506.02025).",
          .ports = {{"input", "[N, C, H, W]"},
                    {"grid", "[N, Ho, Wo, 2]"},
                    {"output", "[N, C, Ho, Wo]"}},
          .arguments = sampling_arguments("bilinear, nearest or bicubic",
                                          {"bilinear", "nearest", "bicubic"}),
          .build = build_grid_sample};
}

ModelDef define_grid_sample3d();
ModelDef define_grid_sample3d() {
  return {
      .name = "GridSample3d",
      .doc = "Samples a volume at the points (x, y, z) of `grid`, with coordinates from -1 to 1.",
      .ports = {{"input", "[N, C, D, H, W]"},
                {"grid", "[N, Do, Ho, Wo, 3]"},
                {"output", "[N, C, Do, Ho, Wo]"}},
      .arguments =
          sampling_arguments("bilinear (along three axes) or nearest", {"bilinear", "nearest"}),
      .build = build_grid_sample3d};
}

}  // namespace mithril
