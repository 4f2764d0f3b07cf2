// Elements at places that other inputs choose: regions of images, deformed windows, the places of
// maxima.
#include <algorithm>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Connection times(const Connection& x, const Size& size) {
  return apply("multiply", {x, binding_of(size)});
}

Size less_one(const Size& size) {
  if (const auto* number = std::get_if<std::int64_t>(&size)) return *number - 1;
  return apply("subtract", {binding_of(size), 1});
}

// The two elements of an axis beside a position between them, and their shares.
struct Neighbours {
  Connection place[2], share[2];
};

// Positions up to one element before the first and after the last one take that element. Farther
// ones take nothing.
Neighbours inner_neighbours(const Connection& position, const Size& size) {
  const Size last = less_one(size);
  const Connection inside = (position >= -1.0) & apply("less_equal", {position, binding_of(size)});
  const Connection at = apply("maximum", {position, 0.0});
  const Connection low = apply("minimum", {at.floor(), binding_of(last)});
  const Connection is_last = apply("greater_equal", {low, binding_of(last)});
  const Connection rest = selected(is_last, 0.0, at - low);
  const Connection place = low.cast(DType::int64);
  return {{place, apply("minimum", {place + 1, binding_of(last)})},
          {selected(inside, 1.0 - rest, 0.0), selected(inside, rest, 0.0)}};
}

// Elements outside of the axis are zeros.
Neighbours padded_neighbours(const Connection& position, std::int64_t size) {
  const Connection low = position.floor();
  const Connection rest = position - low;
  const auto kept = [&](const Connection& place, const Connection& share) {
    return selected((place >= 0.0) & (place < static_cast<double>(size)), share, 0.0);
  };
  const auto held = [&](const Connection& place) {
    return place.clamp(0.0, static_cast<double>(size - 1)).cast(DType::int64);
  };
  return {{held(low), held(low + 1.0)}, {kept(low, 1.0 - rest), kept(low + 1.0, rest)}};
}

// Each region is divided into bins, whose value is the mean or the largest of `samples` squared
// elements between the elements of the image.
struct RegionGrid {
  std::int64_t bins, samples;
  // The centres of the samples, in bins.
  Connection centres() const {
    return (positions_to(bins * samples).cast(DType::float64) + 0.5) / static_cast<double>(samples);
  }
};

// The positions of the samples of each region along an axis: [regions, bins * samples].
Connection sample_positions(const NodeContext& node, const RegionGrid& grid, std::int64_t begin,
                            bool is_half_pixel) {
  const Connection boxes = node[1] * node.real("spatial_scale", 1.0);
  const auto edge = [&](std::int64_t column) {
    const Connection at = expanded(apply("gather", {boxes, column, 1}), {1});
    return is_half_pixel ? at - 0.5 : at;
  };
  const Connection start = edge(begin);
  Connection extent = edge(begin + 2) - start;
  if (!is_half_pixel) extent = apply("maximum", {extent, 1.0});
  return start + extent / static_cast<double>(grid.bins) * converted(grid.centres(), node.type());
}

Outputs roi_align(const NodeContext& node) {
  node.need_rank(0, 4, 4);
  node.need_rank(1, 2, 2);
  node.need_rank(2, 1, 1);
  const std::string mode = node.text("mode", "avg");
  if (mode != "avg" && mode != "max") refuse("its mode is " + mode);
  const std::int64_t samples = node.integer("sampling_ratio", 0);
  if (samples < 1 || samples > 1 << 10)
    refuse("its sampling_ratio is " + std::to_string(samples) +
               ", and the number of samples would depend on data",
           "export the model with a sampling_ratio of 1 or more");
  const auto grid = [&](const char* name) {
    const std::int64_t bins =
        within(std::string("its attribute ") + name, node.integer(name, 1), 1, 1 << 15);
    return RegionGrid{bins, samples};
  };
  const RegionGrid rows = grid("output_height"), columns = grid("output_width");
  const bool is_half_pixel = node.opset() >= 16 && node.text("coordinate_transformation_mode",
                                                             "half_pixel") == "half_pixel";
  const std::vector<Size> sizes = node.sizes(0);
  const Neighbours y = inner_neighbours(sample_positions(node, rows, 1, is_half_pixel), sizes[2]);
  const Neighbours x =
      inner_neighbours(sample_positions(node, columns, 0, is_half_pixel), sizes[3]);
  const Connection pixels = reshaped(transposed(node[0], {0, 2, 3, 1}),
                                     {product_of({sizes[0], sizes[2], sizes[3]}), sizes[1]});
  const Connection image = expanded(times(node[2].cast(DType::int64), sizes[2]), {1});
  Connection made;
  for (const int i : {0, 1}) {
    for (const int j : {0, 1}) {
      const Connection row = expanded(times(image + y.place[i], sizes[3]), {2});
      const Connection index = row + expanded(x.place[j], {1});
      const Connection share = expanded(y.share[i], {2}) * expanded(x.share[j], {1});
      const Connection part = apply("gather", {pixels, index, 0}) * expanded(share, {3});
      if (i + j == 0) {
        made = part;
      } else {
        made = mode == "avg" ? made + part : apply("maximum", {made, part});
      }
    }
  }
  made = reshaped(made, {node.sizes(1)[0], rows.bins, samples, columns.bins, samples, sizes[1]});
  made = apply(mode == "avg" ? "mean" : "max", {made, tuple_of({2, 4}), false});
  return {transposed(made, {0, 3, 1, 2})};
}

// What the windows of a deformed convolution need, with known sizes.
struct DeformedWindows {
  explicit DeformedWindows(const NodeContext& node)
      : image(node.known_dims(0)), weight(node.known_dims(1)), offsets(node.known_dims(2)) {
    node.need_rank(0, 4, 4);
    node.need_rank(1, 4, 4);
    node.need_rank(2, 4, 4);
    groups = within("its attribute 'group'", node.integer("group", 1), 1);
    offset_groups = within("its attribute 'offset_group'", node.integer("offset_group", 1), 1);
    strides = node.integers("strides", 2, 1, 1);
    dilations = node.integers("dilations", 2, 1, 1);
    pads = node.integers("pads", 4, 0, 0);
    taps = within("the number of elements of its windows", weight[2] * weight[3], 1);
    if (image[1] % groups != 0 || image[1] / groups != weight[1] || weight[0] % groups != 0 ||
        image[1] % offset_groups != 0)
      refuse("its channels do not fit its groups");
    if (offsets[1] != 2 * taps * offset_groups)
      refuse("its offset has " + std::to_string(offsets[1]) + " channels, expected " +
             std::to_string(2 * taps * offset_groups));
    within("the number of elements of its windows", taps, 1,
           most_number / std::max<std::int64_t>(outputs(), 1));
  }

  // The places of the elements of all windows along an axis without offsets: [taps, outputs].
  Connection places(std::size_t axis, ElementType type) const {
    const Connection tap = positions_to(weight[axis + 2]) * dilations[axis];
    const Connection window = positions_to(offsets[axis + 2]) * strides[axis] - pads[axis];
    const Connection all = axis == 0 ? expanded(tap, {1, 2, 3}) + expanded(window, {1})
                                     : expanded(tap, {1, 2}) + window;
    const Binding dims = tuple_of({weight[2], weight[3], offsets[2], offsets[3]});
    return converted(reshaped(apply("broadcast_to", {all, dims}), {taps, outputs()}), type);
  }

  std::int64_t outputs() const { return offsets[2] * offsets[3]; }

  std::vector<std::int64_t> image, weight, offsets, strides, dilations, pads;
  std::int64_t groups = 1, offset_groups = 1, taps = 1;
};

// The elements of the windows: [batch, offset groups, channels of each, taps, outputs].
Connection deformed_elements(const NodeContext& node, const DeformedWindows& w) {
  const std::int64_t channels = w.image[1] / w.offset_groups, points = w.taps * w.outputs();
  const Connection moves = reshaped(node[2], {w.image[0], w.offset_groups, w.taps, 2, w.outputs()});
  const auto neighbours = [&](std::int64_t axis) {
    const auto i = static_cast<std::size_t>(axis);
    const Connection places = node.workspace().as_constant(w.places(i, node.type()));
    return padded_neighbours(apply("gather", {moves, axis, 3}) + places, w.image[i + 2]);
  };
  const Neighbours y = neighbours(0), x = neighbours(1);
  const Connection pixels =
      reshaped(node[0], {w.image[0], w.offset_groups, channels, w.image[2] * w.image[3]});
  Connection made;
  for (const int i : {0, 1}) {
    for (const int j : {0, 1}) {
      const Connection index =
          reshaped(y.place[i] * w.image[3] + x.place[j], {w.image[0], w.offset_groups, 1, points});
      const Connection all =
          apply("broadcast_to", {index, tuple_of({w.image[0], w.offset_groups, channels, points})});
      const Connection share =
          reshaped(y.share[i] * x.share[j], {w.image[0], w.offset_groups, 1, points});
      const Connection part = apply("take_along_axis", {pixels, all, 3}) * share;
      made = i + j == 0 ? part : made + part;
    }
  }
  return reshaped(made, {w.image[0], w.offset_groups, channels, w.taps, w.outputs()});
}

Outputs deform_conv(const NodeContext& node) {
  const DeformedWindows w(node);
  Connection elements = deformed_elements(node, w);
  if (node.has(4))
    elements = elements * reshaped(node[4], {w.image[0], w.offset_groups, 1, w.taps, w.outputs()});
  const std::int64_t inner = w.weight[1] * w.taps;
  const Connection columns = reshaped(elements, {w.image[0], w.groups, inner, w.outputs()});
  const Connection weight = reshaped(node[1], {w.groups, w.weight[0] / w.groups, inner});
  Connection made =
      reshaped(matmul(weight, columns), {w.image[0], w.weight[0], w.offsets[2], w.offsets[3]});
  if (node.has(3)) made = made + expanded(node[3], {1, 2});
  return {made};
}

// Indices count the elements of the whole result, before it grows to `output_shape`.
Outputs max_unpool(const NodeContext& node) {
  const std::size_t rank = node.need_rank(0, 3, 5), axes = rank - 2;
  const std::vector<Size> sizes = node.sizes();
  const auto kernel = node.integers("kernel_shape", axes, 1, 1);
  const auto strides = node.integers("strides", axes, 1, 1);
  const auto pads = node.integers("pads", 2 * axes, 0, 0);
  std::vector<Size> made_sizes{sizes[0], sizes[1]};
  std::int64_t plane = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t dim = node.known_dim(0, i + 2);
    const std::int64_t size = (dim - 1) * strides[i] + kernel[i] - pads[i] - pads[axes + i];
    made_sizes.emplace_back(within("a size of its result", size, 0, most_made));
    plane = within("the number of elements of its result", plane * size, 0, most_made);
  }
  const Size count = product_of(made_sizes);
  if (const auto* number = std::get_if<std::int64_t>(&count))
    within("the number of elements of its result", *number, 0, most_made);
  const Connection zeros =
      apply("full", {Binding({binding_of(count)}), 0, *held_dtype(node.type())});
  const Connection flat =
      apply("scatter", {zeros, reshaped(node[1], {-1}), reshaped(node[0], {-1}), 0, Datum("set")});
  const Connection made = reshaped(flat, made_sizes);
  if (!node.has(2)) return {made};
  const std::vector<std::int64_t> wanted = within("its output_shape", node.ints(2), rank, 0);
  Tuple widths;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto* own = std::get_if<std::int64_t>(&made_sizes[i]);
    if (!own) refuse("its output_shape states a size that is not known");
    widths.push_back(
        Datum::ints({0, within("a size of its output_shape", wanted[i], *own) - *own}));
  }
  return {apply("pad", {made, Datum(widths), 0})};
}

}  // namespace

std::vector<OpRow> region_rows() {
  return {
      of_floats({"DeformConv", 19, deform_conv, "TakeAlongAxis, MatrixMultiply",
                 "sizes that are not known, other than 2 spatial axes"}),
      of_floats({"MaxUnpool", 9, max_unpool, "Scatter",
                 "sizes of planes that are not known, an output_shape that depends on data"}),
      of_floats({"RoiAlign", 10, roi_align, "Gather, Mean, Max", "sampling_ratio=0"}),
  };
}

}  // namespace mithril::onnx
