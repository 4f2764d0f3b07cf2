// GridSample; Resize and Upsample: each axis by sums of neighbours, with weights that are computed
// at import.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

struct Resizing {
  std::string mode = "nearest", coordinates = "half_pixel", rounding = "round_prefer_floor";
  double cubic = -0.75, outside = 0.0;
  bool antialias = false, excludes_outside = false;
};

// How one axis is resized.
struct ResizedAxis {
  std::int64_t from = 1, to = 1;
  bool is_open = false;                        // of a size that is not known, which it keeps
  double scale = 1.0, begin = 0.0, end = 1.0;  // begin and end: of the region

  // Divided by the scale. A quotient of sizes is exact where a product with the scale is not.
  double unscaled(double place) const {
    const double size = static_cast<double>(from), made = static_cast<double>(to);
    return scale == made / size ? place * size / made : place / scale;
  }
};

// The place in the input of element i of the output.
double place_of(const Resizing& how, const ResizedAxis& axis, std::int64_t i) {
  const double x = static_cast<double>(i), last = static_cast<double>(axis.from - 1);
  const double width = axis.scale * static_cast<double>(axis.from);
  if (how.coordinates == "asymmetric") return axis.unscaled(x);
  if (how.coordinates == "align_corners") return width == 1 ? 0 : x * last / (width - 1);
  if (how.coordinates == "tf_crop_and_resize") {
    const double size = axis.end - axis.begin;
    return (width == 1 ? size * last / 2 : x * size * last / (width - 1)) + axis.begin * last;
  }
  if (how.coordinates == "pytorch_half_pixel" && axis.to == 1) return 0;
  double offset = 0;
  if (how.coordinates == "half_pixel_symmetric")
    offset = static_cast<double>(axis.from) / 2 * (1 - static_cast<double>(axis.to) / width);
  else if (how.coordinates != "half_pixel" && how.coordinates != "pytorch_half_pixel")
    refuse("its coordinate_transformation_mode is " + how.coordinates);
  return offset + axis.unscaled(x + 0.5) - 0.5;
}

double cubic_weight(double distance, double a) {
  const double d = std::abs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((d - 5) * d + 8) * d * a - 4 * a;
  return 0;
}

// The weights of the neighbours from `first` on, counted from the element before the place.
std::vector<double> neighbour_weights(const Resizing& how, double ratio, double scale,
                                      std::int64_t& first) {
  if (how.mode == "nearest") {
    first = 0;
    const bool is_low = ratio == 1                             ? false
                        : how.rounding == "round_prefer_floor" ? ratio <= 0.5
                        : how.rounding == "round_prefer_ceil"  ? ratio < 0.5
                                                               : how.rounding == "floor";
    return is_low ? std::vector<double>{1, 0} : std::vector<double>{0, 1};
  }
  const bool is_linear = how.mode == "linear";
  if (!is_linear && how.mode != "cubic") refuse("its mode is " + how.mode);
  const double shrink = how.antialias ? std::min(scale, 1.0) : 1.0;
  const double reach = is_linear ? 1 : 2;
  first = static_cast<std::int64_t>(std::floor(-reach / shrink)) + 1;
  const std::int64_t end = 2 - first;
  std::vector<double> made;
  for (std::int64_t i = first; i < end; ++i) {
    const double distance = shrink * (static_cast<double>(i) - ratio);
    made.push_back(is_linear ? std::max(0.0, 1 - std::abs(distance))
                             : cubic_weight(distance, how.cubic));
  }
  if (how.antialias) {
    const double sum = std::accumulate(made.begin(), made.end(), 0.0);
    for (double& weight : made) weight /= sum;
  }
  return made;
}

void check_axis(const ResizedAxis& axis) {
  within("the size of its input", axis.from, 1);
  within("the size of its result", axis.to, 1);
  if (!std::isfinite(axis.scale) || axis.scale <= 0) refuse("its scale is not a positive number");
}

// Refuses more neighbours, or more weights, than the import computes.
void check_neighbours(const NodeContext& node, const Resizing& how, const ResizedAxis& axis) {
  constexpr double most_neighbours = 1 << 10, bytes_of_weight = 28;
  const double shrink = how.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const double neighbours = (how.mode == "cubic" ? 4 : 2) / shrink;
  const double weights = neighbours * static_cast<double>(axis.to);
  if (neighbours > most_neighbours ||
      !node.workspace().take({.bytes = bytes_of_weight * weights, .operations = weights}))
    refuse("it weights too many elements");
}

Connection resized(const Connection& x, std::int64_t at, std::size_t rank, const Resizing& how,
                   const ResizedAxis& axis, ElementType type) {
  std::vector<std::vector<std::int64_t>> places;
  std::vector<std::vector<double>> weights;
  std::vector<std::int64_t> inside;
  const auto count = static_cast<std::size_t>(axis.to);
  inside.reserve(count);
  for (std::int64_t i = 0; i < axis.to; ++i) {
    const double place = place_of(how, axis, i);
    inside.push_back(place >= 0 && place <= static_cast<double>(axis.from - 1) ? 1 : 0);
    // The neighbour on the left is preferred, so the ratio is in (0, 1].
    const auto below = static_cast<std::int64_t>(std::ceil(place)) - 1;
    const double ratio = place - static_cast<double>(below);
    std::int64_t first = 0;
    std::vector<double> own = neighbour_weights(how, ratio, axis.scale, first);
    places.resize(own.size());
    weights.resize(own.size());
    if (how.excludes_outside) {
      double sum = 0;
      for (std::size_t k = 0; k < own.size(); ++k) {
        const std::int64_t index = below + first + static_cast<std::int64_t>(k);
        if (index < 0 || index >= axis.from) own[k] = 0;
        sum += own[k];
      }
      for (double& weight : own) weight /= sum;
    }
    for (std::size_t k = 0; k < own.size(); ++k) {
      const std::int64_t index = below + first + static_cast<std::int64_t>(k);
      if (i == 0) places[k].reserve(count), weights[k].reserve(count);
      places[k].push_back(std::clamp<std::int64_t>(index, 0, axis.from - 1));
      weights[k].push_back(own[k]);
    }
  }
  const auto shaped = [&](const Tensor& numbers) {
    return expanded(constant(numbers), range_to(rank - static_cast<std::size_t>(at), 1));
  };
  Connection made;
  if (how.mode == "nearest") {
    std::vector<std::int64_t> nearest;
    for (std::size_t i = 0; i < inside.size(); ++i)
      nearest.push_back(weights[0][i] == 1 ? places[0][i] : places[1][i]);
    made = apply("gather", {x, constant(nearest), at});
  } else {
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Tensor weight = Tensor::of(weights[k]).to(*held_dtype(type));
      const Connection term = apply("gather", {x, constant(places[k]), at}) * shaped(weight);
      made = k == 0 ? term : made + term;
    }
  }
  const bool is_cropped = how.coordinates == "tf_crop_and_resize" &&
                          std::find(inside.begin(), inside.end(), 0) != inside.end();
  if (!is_cropped) return made;
  return selected(shaped(Tensor::of(inside)).ne(0), made, how.outside);
}

// Whether each element of the axis is repeated `scale` times.
bool is_repeat(const Resizing& how, double scale) {
  if (how.mode != "nearest" || scale != std::floor(scale)) return false;
  if (how.coordinates == "asymmetric") return how.rounding == "floor";
  const bool has_centres = how.coordinates == "half_pixel" ||
                           how.coordinates == "pytorch_half_pixel" ||
                           how.coordinates == "half_pixel_symmetric";
  return has_centres && how.rounding.starts_with("round_prefer");
}

Connection repeated(const Connection& x, const Size& size, std::int64_t factor, std::int64_t axis) {
  const auto* number = std::get_if<std::int64_t>(&size);
  if (number) within("the size of its result", *number * factor, 0);
  const Size count = number ? Size(*number * factor)
                            : Size(apply("multiply", {std::get<Connection>(size), factor}));
  return apply("gather", {x, apply("floor_divide", {positions_to(count), factor}), axis});
}

Connection resized_axes(const NodeContext& node, const Resizing& how,
                        const std::vector<ResizedAxis>& axes) {
  Connection made = node[0];
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool is_same = axes[i].is_open || (axes[i].from == axes[i].to && axes[i].scale == 1.0 &&
                                             how.coordinates != "tf_crop_and_resize");
    if (is_same) continue;
    check_axis(axes[i]);
    const auto at = static_cast<std::int64_t>(i);
    const double factor = static_cast<double>(axes[i].to) / static_cast<double>(axes[i].from);
    if (axes[i].scale == factor && is_repeat(how, factor)) {
      made = repeated(made, axes[i].from, static_cast<std::int64_t>(factor), at);
    } else {
      check_neighbours(node, how, axes[i]);
      made = resized(made, at, axes.size(), how, axes[i], node.type());
    }
  }
  return made;
}

// Rounded down. Sizes that no result can have become 0, which is refused.
std::int64_t whole(double size) {
  const bool is_size = size >= 0 && size <= static_cast<double>(most_number);
  return is_size ? static_cast<std::int64_t>(size) : 0;
}

void scale_by(ResizedAxis& axis, double scale) {
  axis.scale = scale;
  axis.to = whole(static_cast<double>(axis.from) * scale);
}

std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> made;
  for (std::int64_t i = 0; i < tensor.size(); ++i) made.push_back(tensor.at_as_double(i));
  return made;
}

std::vector<ResizedAxis> axes_before(const NodeContext& node) {
  std::vector<ResizedAxis> axes;
  for (const Size& size : node.sizes(0)) {
    const auto* dim = std::get_if<std::int64_t>(&size);
    axes.push_back(dim ? ResizedAxis{.from = *dim, .to = *dim} : ResizedAxis{.is_open = true});
  }
  return axes;
}

// Axes, of which some have no known size, resized by scales; nothing if that is not a repeat.
std::optional<Connection> repeated_axes(const NodeContext& node, const Resizing& how,
                                        const std::vector<double>& scales,
                                        const std::vector<std::int64_t>& axes) {
  const std::vector<Size> sizes = node.sizes();
  if (numbers_of(sizes) || scales.size() != axes.size()) return std::nullopt;
  Connection made = node[0];
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (scales[k] == 1) continue;
    if (!is_repeat(how, scales[k]) || scales[k] < 1 || scales[k] > most_number) return std::nullopt;
    made = repeated(made, sizes[static_cast<std::size_t>(axes[k])],
                    static_cast<std::int64_t>(scales[k]), axes[k]);
  }
  return made;
}

// Upsample, and Resize of opset 10.
Outputs upsample(const NodeContext& node) {
  Resizing how{
      .mode = node.text("mode", "nearest"), .coordinates = "asymmetric", .rounding = "floor"};
  if (how.mode == "bilinear") how.mode = "linear";
  std::vector<double> scales;
  if (const AttributeRecord* attribute = node.attribute("scales")) {
    scales.assign(attribute->floats.begin(), attribute->floats.end());
  } else {
    scales = numbers(node.known(1));
  }
  if (auto made = repeated_axes(node, how, scales, range_to(node.rank()))) return {*made};
  std::vector<ResizedAxis> axes = axes_before(node);
  if (scales.size() != axes.size()) refuse("it has another number of scales than of axes");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].is_open && scales[i] != 1) node.known_dim(0, i);
    scale_by(axes[i], scales[i]);
  }
  return {resized_axes(node, how, axes)};
}

// One scale for all axes, so that the result is at most, or at least, as large as wanted.
void keep_ratio(const NodeContext& node, std::vector<ResizedAxis>& axes,
                const std::vector<std::int64_t>& chosen) {
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || chosen.empty()) return;
  std::vector<double> scales;
  for (const std::int64_t i : chosen) {
    const auto at = static_cast<std::size_t>(i);
    if (axes[at].is_open) node.known_dim(0, at);
    scales.push_back(axes[at].scale);
  }
  const double scale = policy == "not_larger" ? *std::min_element(scales.begin(), scales.end())
                                              : *std::max_element(scales.begin(), scales.end());
  for (const std::int64_t i : chosen) {
    ResizedAxis& axis = axes[static_cast<std::size_t>(i)];
    axis.scale = scale;
    axis.to = whole(scale * static_cast<double>(axis.from) + 0.5);
  }
}

void size_to(const NodeContext& node, ResizedAxis& axis, const Size& wanted) {
  const auto* size = std::get_if<std::int64_t>(&wanted);
  if (!size) node.known(3);
  axis.to = *size;
  axis.scale = static_cast<double>(*size) / static_cast<double>(axis.from);
}

Outputs resize(const NodeContext& node) {
  Resizing how{.mode = node.text("mode", "nearest"),
               .coordinates = node.text("coordinate_transformation_mode", "half_pixel"),
               .rounding = node.text("nearest_mode", "round_prefer_floor"),
               .cubic = node.real("cubic_coeff_a", -0.75),
               .outside = node.real("extrapolation_value", 0.0),
               .antialias = node.flag("antialias"),
               .excludes_outside = node.flag("exclude_outside")};
  std::vector<std::int64_t> chosen = node.integers("axes").value_or(range_to(node.rank()));
  for (std::int64_t& axis : chosen) axis = node.axis(axis, node.rank());
  const bool has_scales = node.has(2) && node.known(2).size() > 0;
  const std::vector<double> scales = has_scales ? numbers(node.known(2)) : std::vector<double>();
  const std::vector<Size> wanted = has_scales ? std::vector<Size>() : node.elements(3);
  if (has_scales)
    if (auto made = repeated_axes(node, how, scales, chosen)) return {*made};
  std::vector<ResizedAxis> axes = axes_before(node);
  if (std::max(scales.size(), wanted.size()) != chosen.size())
    refuse("it has another number of sizes than of axes");
  const bool is_crop = how.coordinates == "tf_crop_and_resize";
  const std::vector<double> region = is_crop ? numbers(node.known(1)) : std::vector<double>();
  if (is_crop) need_count("its roi", region.size(), 2 * chosen.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const auto at = static_cast<std::size_t>(chosen[k]);
    ResizedAxis& axis = axes[at];
    const bool is_kept = has_scales ? scales[k] == 1 : are_same(wanted[k], node.sizes()[at]);
    if (axis.is_open && (!is_kept || is_crop)) node.known_dim(0, at);
    if (axis.is_open) continue;
    if (has_scales) {
      scale_by(axis, scales[k]);
    } else {
      size_to(node, axis, wanted[k]);
    }
    if (!is_crop) continue;
    axis.begin = region[k];
    axis.end = region[k + chosen.size()];
  }
  if (!has_scales) keep_ratio(node, axes, chosen);
  return {resized_axes(node, how, axes)};
}

Outputs grid_sample(const NodeContext& node) {
  std::string mode = node.text("mode", node.opset() < 20 ? "bilinear" : "linear");
  if (mode == "linear") mode = "bilinear";
  if (mode == "cubic") mode = "bicubic";
  const std::size_t rank = node.rank(0);
  if (rank != 4 && rank != 5) refuse("its input has " + std::to_string(rank) + " axes");
  if (rank == 5 && mode == "bicubic") refuse("cubic over 3 axes is not supported");
  return {layer(rank == 4 ? "GridSample" : "GridSample3d",
                {{"mode", mode},
                 {"padding_mode", node.text("padding_mode", "zeros")},
                 {"align_corners", node.flag("align_corners")}},
                {{"input", node[0]}, {"grid", node[1]}})};
}

// The positions of the pixels of an axis, from -1 to 1. With corners the centres of the outer
// pixels are at the ends, else their outer edges.
Connection positions_along(std::int64_t count, bool has_corners) {
  const Connection twice = positions_to(count).cast(DType::float64) * 2.0;
  const double of = static_cast<double>(count);
  if (has_corners) return twice / std::max(of - 1.0, 1.0) - 1.0;
  return (twice + 1.0) / of - 1.0;
}

// The positions of all pixels, x before y before z, each with a 1: [pixels, axes + 1].
Connection pixels_of(const std::vector<std::int64_t>& dims, bool has_corners, ElementType type) {
  std::vector<Size> sizes(dims.begin(), dims.end());
  const Size count = product_of(sizes);
  sizes.emplace_back(std::int64_t{1});
  std::vector<Connection> columns;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const Connection along =
        expanded(positions_along(dims[i], has_corners), range_to(dims.size() - i + 1, 1));
    columns.push_back(apply("broadcast_to", {along, Binding(bindings_of(sizes))}));
  }
  columns.push_back(apply("full", {Binding(bindings_of(sizes)), 1.0, DType::float64}));
  const auto axes = static_cast<std::int64_t>(columns.size());
  return converted(reshaped(joined(columns, axes - 1), {count, axes}), type);
}

Outputs affine_grid(const NodeContext& node) {
  const std::vector<std::int64_t> size = node.ints(1);
  if (size.size() != 4 && size.size() != 5)
    refuse("its size has " + std::to_string(size.size()) + " numbers, expected 4 or 5");
  within("its size", size, size.size(), 0);
  const std::vector<std::int64_t> dims(size.begin() + 2, size.end());
  const Connection pixels =
      node.workspace().as_constant(pixels_of(dims, node.flag("align_corners"), node.type()));
  const Connection moved = apply("matmul", {pixels, transposed(node[0], {0, 2, 1})});
  std::vector<Size> sizes{size[0]};
  for (const std::int64_t dim : dims) sizes.emplace_back(dim);
  sizes.emplace_back(static_cast<std::int64_t>(dims.size()));
  return {reshaped(moved, sizes)};
}

}  // namespace

std::vector<OpRow> resizing_rows() {
  constexpr const char* open =
      "new sizes of axes whose size is not known, but for nearest by whole scales";
  return {
      of_floats({"AffineGrid", 20, affine_grid, "MatrixMultiply", "a size that is not known"}),
      {"GridSample", 16, grid_sample, "GridSample, GridSample3d", "cubic over 3 axes"},
      {"Resize", 10, upsample, "Gather", open},
      {"Resize", 11, resize, "Gather, Multiply, Add", open},
      {"Upsample", 7, upsample, "Gather, Multiply, Add", open},
  };
}

}  // namespace mithril::onnx
