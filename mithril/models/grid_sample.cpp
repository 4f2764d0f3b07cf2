#include "mithril/models/grid_sample.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// One axis of the image: places in pixels, from 0 to size - 1.
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
  // The place of the pixel that stands for those outside.
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

Model build_grid_sample(const CheckedArguments& arguments) {
  const std::string mode = arguments.text("mode");
  Model model = model_of_class("GridSample");
  const Connection input = model["input"], grid = model["grid"];
  model.set_shapes({{"input", {"N", "C", "H", "W"}}, {"grid", {"N", "Ho", "Wo", 2}}});
  const Connection shape = input.shape(), out = grid.shape(), places = widened(grid);
  const SampledAxis rows(shape[2], arguments), columns(shape[3], arguments);
  const Connection flat = input.reshape({shape[0], shape[1], -1});
  const auto as_weight = [](const Connection& x) { return apply("expand_dims", {x, 1}); };
  Connection sum;
  bool first = true;
  for (const SampledTap& row : sampled_taps(rows, places.at({ellipsis, 1}), mode)) {
    for (const SampledTap& column : sampled_taps(columns, places.at({ellipsis, 0}), mode)) {
      const Connection index = rows.index(row.place) * shape[3] + columns.index(column.place);
      const Connection all =
          apply("broadcast_to",
                {index.reshape({shape[0], 1, -1}), Binding({shape[0], shape[1], out[1] * out[2]})});
      const Connection pixels =
          apply("take_along_axis", {flat, all, 2}).reshape({shape[0], shape[1], out[1], out[2]});
      const Connection is_inside = rows.inside(row.place) & columns.inside(column.place);
      Connection term = apply("where", {as_weight(is_inside), pixels, 0.0});
      if (mode != "nearest") term = term * as_weight(row.weight * column.weight);
      sum = first ? term : sum + term;
      first = false;
    }
  }
  return finished(model, narrowed(sum, {input, grid}));
}

}  // namespace

std::string_view name(GridSampleMode mode) {
  constexpr std::string_view names[] = {"bilinear", "nearest", "bicubic"};
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

ModelDef define_grid_sample();
ModelDef define_grid_sample() {
  return {.name = "GridSample",
          .doc =
              "Pixels at places (x, y) of an image, from -1 to 1 "
              "(https://arxiv.org/abs/1506.02025). Ports: input [N, C, H, W], grid [N, Ho, Wo, 2], "
              "output [N, C, Ho, Wo].",
          .arguments = {{"mode",
                         "str",
                         "bilinear",
                         "bilinear, nearest or bicubic",
                         {"bilinear", "nearest", "bicubic"}},
                        {"padding_mode",
                         "str",
                         "zeros",
                         "what is outside: zeros, the border, or a reflection",
                         {"zeros", "border", "reflection"}},
                        {"align_corners", "bool", false,
                         "-1 and 1 are the centres of the outer pixels, not their borders"}},
          .build = build_grid_sample};
}

}  // namespace mithril
