// Convolutions and pools.
#include <algorithm>
#include <limits>

#include "mithril/onnx/parts.hpp"
#include "mithril/onnx/windows.hpp"

namespace mithril::onnx {
namespace {

Outputs conv(const NodeContext& node) {
  const Binding bias = node.has(2) ? Binding(node[2]) : Binding(none);
  return {convolved(node, node[0], node[1], bias, node.known_dims(1))};
}

// The places of numbers below `counts`, times the steps, in a tensor of these dims, as a vector;
// the last axis varies first.
Connection grid_places(const std::vector<std::int64_t>& counts,
                       const std::vector<std::int64_t>& steps,
                       const std::vector<std::int64_t>& dims) {
  Connection places;
  std::int64_t stride = 1;
  for (std::size_t i = counts.size(); i-- > 0; stride *= dims[i]) {
    const Connection along =
        expanded(positions_to(counts[i]) * (steps[i] * stride), range_to(counts.size() - i, 1));
    places = i + 1 == counts.size() ? along : places + along;
  }
  return reshaped(places, {std::int64_t{-1}});
}

std::int64_t number_in_grid(const std::vector<std::int64_t>& counts) {
  std::int64_t number = 1;
  for (const std::int64_t count : counts)
    number = within("the number of its elements", number * count, 0);
  return number;
}

// The sums of the elements of all blocks at each place of the image, by their indices.
Connection summed_blocks(const NodeContext& node, const std::vector<std::int64_t>& image,
                         const std::vector<std::int64_t>& block,
                         const std::vector<std::int64_t>& pads) {
  const std::size_t axes = image.size();
  const auto strides = node.integers("strides", axes, 1, 1);
  const auto dilations = node.integers("dilations", axes, 1, 1);
  std::vector<std::int64_t> whole, counts;  // with the pads; the numbers of blocks
  Tuple cut(2, Datum::ints({0, 0}));
  std::int64_t size = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    whole.push_back(image[i] + pads[i] + pads[axes + i]);
    size = within("the number of elements of its image", size * whole[i], 1, most_made);
    const std::int64_t extent = dilations[i] * (block[i] - 1) + 1;
    within("a size of its image", whole[i], extent);
    counts.push_back((whole[i] - extent) / strides[i] + 1);
    cut.push_back(Datum::ints({-pads[i], -pads[axes + i]}));
  }
  const std::int64_t blocks = number_in_grid(counts), taps = number_in_grid(block);
  within("the number of its elements", taps, 1, most_number / blocks);
  const Connection places = node.workspace().as_constant(
      expanded(grid_places(block, dilations, whole), {1}) + grid_places(counts, strides, whole));
  const std::vector<Size> sizes = node.sizes();
  const auto* columns = std::get_if<std::int64_t>(&sizes[1]);
  if (!columns) refuse("it needs the number of channels", "shapes= of the inputs states it");
  if (*columns % taps != 0)
    refuse("its number of channels is not a multiple of " + std::to_string(taps));
  const std::int64_t channels = *columns / taps;
  const std::vector<Size> wide{sizes[0], channels, taps * blocks}, flat{sizes[0], channels, size};
  const Connection index =
      apply("broadcast_to", {reshaped(places, {std::int64_t{-1}}), Binding(bindings_of(wide))});
  const Connection zeros = apply("full", {Binding(bindings_of(flat)), 0, *held_dtype(node.type())});
  const Connection sums =
      apply("scatter", {zeros, index, reshaped(node[0], wide), -1, Datum("add")});
  std::vector<Size> dims{sizes[0], channels};
  dims.insert(dims.end(), whole.begin(), whole.end());
  return apply("pad", {reshaped(sums, dims), Datum(cut), 0});
}

Outputs col2im(const NodeContext& node) {
  node.need_rank(0, 3, 3);
  const std::vector<std::int64_t> image = node.ints(1), block = node.ints(2);
  const std::size_t axes = image.size();
  within("the number of its spatial axes", static_cast<std::int64_t>(axes), 1, most_axes - 2);
  within("its image_shape", image, axes, 1);
  within("its block_shape", block, axes, 1);
  const std::vector<std::int64_t> pads = node.integers("pads", 2 * axes, 0, 0);
  if (axes != 2 || pads[0] != pads[2] || pads[1] != pads[3])
    return {summed_blocks(node, image, block, pads)};
  return {layer("Fold",
                {{"output_size", Datum::ints(image)},
                 {"kernel_size", Datum::ints(block)},
                 {"stride", Datum::ints(node.integers("strides", 2, 1, 1))},
                 {"padding", Datum::ints({pads[0], pads[1]})},
                 {"dilation", Datum::ints(node.integers("dilations", 2, 1, 1))}},
                {{"input", node[0]}})};
}

// A convolution of each channel with what came before, and the end of the sequence for the next
// call.
Outputs causal_conv(const NodeContext& node) {
  const std::vector<std::int64_t> dims = node.known_dims(1);
  need_count("its weight", dims.size(), 3);
  node.need_rank(0, 3, 3);
  const std::string activation = node.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    refuse("its activation is " + activation);
  const std::int64_t channels = dims[0], before = within("its kernel", dims[2], 1) - 1;
  const Connection x =
      node.has(3) ? joined({node[3], node[0]}, 2) : padded(node[0], {{before, 0}}, 0.0);
  const Binding bias = node.has(2) ? Binding(node[2]) : Binding(none);
  Connection y = apply("conv1d", {x, node[1], bias, 1, tuple_of({0, 0}), 1, channels});
  if (activation != "none") {
    const Connection wide = converted(y, ElementType::float32);
    y = converted(wide * apply("sigmoid", {wide}), node.type());
  }
  const Connection state = before == 0 ? sliced(x, 2, 0, 0) : sliced(x, 2, -before, none);
  return {Value(y, node.type()), Value(state, node.type())};
}

// The output with no padding, cut and extended to the size that is wanted.
Connection cut_to(const Connection& x, std::size_t axis, std::int64_t before, std::int64_t after) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pads(x.known_shape().rank().value());
  if (before == 0 && after == 0) return x;
  pads[axis] = {-before, -after};
  return apply("pad", {x, pairs_of(pads), 0.0});
}

Outputs conv_transpose(const NodeContext& node) {
  const std::vector<std::int64_t> dims = node.known_dims(1);
  const std::size_t axes = node.need_rank(1, 3) - 2;
  node.need_rank(0, axes + 2, axes + 2);
  const std::int64_t groups = within("its attribute 'group'", node.integer("group", 1), 1);
  const std::vector<std::int64_t> kernel(dims.begin() + 2, dims.end());
  within("its kernel", kernel, axes, 1);
  const auto strides = node.integers("strides", axes, 1, 1);
  const auto dilations = node.integers("dilations", axes, 1, 1);
  const auto extra = node.integers("output_padding", axes, 0, 0);
  const auto wanted = node.integers("output_shape");
  if (wanted) {
    const bool is_whole = wanted->size() == axes + 2;
    within("its attribute 'output_shape'", *wanted, is_whole ? axes + 2 : axes, 0);
  }
  const std::string automatic = node.text("auto_pad", "NOTSET");
  std::vector<std::int64_t> pads = node.integers("pads", 2 * axes, -most_number, 0);
  const bool is_same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (wanted || is_same) {
    for (std::size_t i = 0; i < axes; ++i) {
      const std::int64_t input = node.known_dim(0, i + 2);
      const std::size_t offset = wanted && wanted->size() == axes + 2 ? 2 : 0;
      const std::int64_t size = wanted ? (*wanted)[i + offset] : input * strides[i];
      const std::int64_t full =
          strides[i] * (input - 1) + extra[i] + (kernel[i] - 1) * dilations[i] + 1;
      // Padding below zero extends the end.
      const std::int64_t total = full - size, cut = std::max<std::int64_t>(total, 0);
      pads[i] = automatic == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
      pads[axes + i] = total - pads[i];
    }
  }
  const char* names[] = {"ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"};
  if (axes > 3) refuse("it has " + std::to_string(axes) + " spatial axes");
  const auto value = [&](const std::vector<std::int64_t>& numbers) {
    return axes == 1 ? Datum(numbers[0]) : Datum::ints(numbers);
  };
  // The layers have at least one filter, which is cut off where the file has none.
  const bool has_filters = dims[1] > 0;
  const Connection weight = has_filters ? node[1] : cut_to(node[1], 1, 0, -1);
  Connection made = layer(names[axes - 1],
                          {{"filters", has_filters ? dims[1] * groups : groups},
                           {"kernel_size", value(kernel)},
                           {"stride", value(strides)},
                           {"dilation", value(dilations)},
                           {"groups", groups},
                           {"use_bias", false}},
                          {{"input", node[0]}, {"weight", weight}});
  if (!has_filters) made = cut_to(made, 1, 0, groups);
  for (std::size_t i = 0; i < axes; ++i)
    made = cut_to(made, i + 2, pads[i], pads[axes + i] - extra[i]);
  if (node.has(2)) made = made + expanded(node[2], range_to(axes + 1, 1));
  return {made};
}

WindowGrid pool_windows(const NodeContext& node) {
  node.need_rank(0, 3);
  const auto kernel = node.integers("kernel_shape");
  if (!kernel) refuse("its kernel_shape is missing");
  if (kernel->empty() || kernel->size() > 3)
    refuse("it has " + std::to_string(kernel->size()) +
           " spatial axes, and at most 3 are supported");
  return windows_of(node, *kernel);
}

// How many elements more the last windows read beyond the padding, with ceil_mode. The only window
// of an axis loses the elements beyond it instead.
std::vector<std::int64_t> beyond(const NodeContext& node, WindowGrid& windows) {
  std::vector<std::int64_t> made(windows.kernel.size(), 0);
  if (!node.flag("ceil_mode")) return made;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto& [before, after] = windows.pads[i];
    const std::int64_t dim = node.known_dim(0, i + 2), stride = windows.strides[i];
    const std::int64_t size = dim + before + after;
    std::int64_t count = (size - windows.extent(i) + stride - 1) / stride + 1;
    if ((count - 1) * stride >= dim + before) --count;  // begins in the padding
    if (count == 1 && size > 0 && windows.extent(i) > size) {
      windows.kernel[i] = (size - 1) / windows.dilations[i] + 1;
      windows.strides[i] = size;
    }
    made[i] = std::max<std::int64_t>(0, (count - 1) * stride + windows.extent(i) - size);
  }
  return made;
}

// A pool over the last axes, of input that is padded already: two axes at a time.
Connection pool(const char* op, const Connection& x, const WindowGrid& windows) {
  const auto two = [&](const Connection& input, std::vector<std::int64_t> kernel,
                       std::vector<std::int64_t> strides, std::vector<std::int64_t> dilations) {
    return Model::op(op).apply(std::vector<Binding>{input, tuple_of(kernel), tuple_of(strides),
                                                    Binding(0), tuple_of(dilations)})[0];
  };
  const auto& k = windows.kernel;
  const auto& s = windows.strides;
  const auto& d = windows.dilations;
  const std::size_t rank = x.known_shape().rank().value(), last = k.size() - 1;
  if (k.size() == 1) {
    const Connection wide = expanded(x, {static_cast<std::int64_t>(rank) - 1});
    const Connection made = two(wide, {1, k[0]}, {1, s[0]}, {1, d[0]});
    return apply("squeeze", {made, static_cast<std::int64_t>(rank) - 1});
  }
  const Connection made =
      two(x, {k[last - 1], k[last]}, {s[last - 1], s[last]}, {d[last - 1], d[last]});
  if (k.size() == 2) return made;
  const std::vector<Size> sizes = *sizes_of(made);
  const Connection flat =
      reshaped(made, {sizes[0], sizes[1], sizes[2], product_of({sizes[3], sizes[4]})});
  const Connection deep = two(flat, {k[0], 1}, {s[0], 1}, {d[0], 1});
  return reshaped(deep, {sizes[0], sizes[1], (*sizes_of(deep))[2], sizes[3], sizes[4]});
}

// Of the ints that ONNX has pools of.
std::int64_t lowest_byte(ElementType type) {
  if (type != ElementType::int8 && type != ElementType::uint8)
    refuse("its input is " + name_of(type) + ", expected floats, int8 or uint8");
  return type == ElementType::int8 ? -128 : 0;
}

Outputs max_pool(const NodeContext& node) {
  WindowGrid windows = pool_windows(node);
  const std::vector<std::int64_t> more = beyond(node, windows);
  for (std::size_t i = 0; i < more.size(); ++i) windows.pads[i].second += more[i];
  const Binding lowest = is_float(node.type()) ? Binding(-std::numeric_limits<double>::infinity())
                                               : Binding(lowest_byte(node.type()));
  if (!node.wants(1)) {
    return {pool("max_pool2d", padded(node[0], windows.pads, lowest), windows)};
  }
  // The places of the elements in the whole tensor.
  const std::vector<Size> sizes = node.sizes();
  const std::size_t axes = windows.kernel.size();
  if (axes > 2) refuse("indices of 3 axes are not supported");
  const bool is_row = axes == 1;
  Connection x = is_row ? expanded(node[0], {2}) : node[0];
  const std::int64_t height = is_row ? 1 : node.known_dim(0, 2),
                     width = node.known_dim(0, axes + 1);
  auto pads = windows.pads;
  auto wide = [&](std::vector<std::int64_t> numbers, std::int64_t first) {
    if (is_row) numbers.insert(numbers.begin(), first);
    return numbers;
  };
  if (is_row) pads.insert(pads.begin(), {0, 0});
  // Places in the padded plane become places in the plane.
  x = padded(x, pads, lowest);
  const auto made = Model::op("max_pool2d")
                        .apply(std::vector<Binding>{x, tuple_of(wide(windows.kernel, 1)),
                                                    tuple_of(wide(windows.strides, 1)), Binding(0),
                                                    tuple_of(wide(windows.dilations, 1))});
  const std::int64_t padded_width = width + pads[1].first + pads[1].second;
  const Connection row = apply("floor_divide", {made[1], padded_width}) - pads[0].first;
  const Connection column = apply("remainder", {made[1], padded_width}) - pads[1].first;
  const bool is_by_columns = node.flag("storage_order");
  const Connection place = is_by_columns ? column * height + row : row * width + column;
  const Connection planes =
      reshaped(positions_to(product_of({sizes[0], sizes[1]})) * (height * width),
               {sizes[0], sizes[1], std::int64_t{1}, std::int64_t{1}});
  Connection values = made[0], places = place + planes;
  if (is_row) {
    values = apply("squeeze", {values, 2});
    places = apply("squeeze", {places, 2});
  }
  return {values, Value(places, ElementType::int64)};
}

Connection mean_of_windows(const NodeContext& node, const Connection& x) {
  WindowGrid windows = pool_windows(node);
  const std::vector<std::int64_t> more = beyond(node, windows);
  std::vector<std::pair<std::int64_t, std::int64_t>> rest;
  bool is_cut = false;
  for (const std::int64_t each : more) {
    rest.emplace_back(0, each);
    is_cut = is_cut || each != 0;
  }
  const bool counts_pads = node.flag("count_include_pad");
  for (const auto& [before, after] : windows.pads)
    is_cut = is_cut || (!counts_pads && (before != 0 || after != 0));
  const Connection all = padded(padded(x, windows.pads, 0.0), rest, 0.0);
  const Connection mean = pool("avg_pool2d", all, windows);
  if (!is_cut) return mean;
  const Connection ones = apply("zeros_like", {x}) + 1.0;
  const Connection mask = padded(padded(ones, windows.pads, counts_pads ? 1.0 : 0.0), rest, 0.0);
  return mean / pool("avg_pool2d", mask, windows);
}

Outputs average_pool(const NodeContext& node) { return {mean_of_windows(node, node[0])}; }

Outputs lp_pool(const NodeContext& node) {
  const double p = static_cast<double>(within("its attribute 'p'", node.integer("p", 2), 1));
  WindowGrid windows = pool_windows(node);
  const std::vector<std::int64_t> more = beyond(node, windows);
  double count = 1;
  for (std::size_t i = 0; i < more.size(); ++i) {
    windows.pads[i].second += more[i];
    count *= static_cast<double>(windows.kernel[i]);
  }
  const Connection powers = padded(pow(node[0].abs(), p), windows.pads, 0.0);
  return {pow(pool("avg_pool2d", powers, windows) * count, 1.0 / p)};
}

Binding spatial_axes(const NodeContext& node) {
  return tuple_of(range_to(node.need_rank(0, 3), 2));
}

Outputs global_average(const NodeContext& node) {
  return {apply("mean", {node[0], spatial_axes(node), true})};
}

Outputs global_max(const NodeContext& node) {
  return {apply("max", {node[0], spatial_axes(node), true})};
}

Outputs global_lp(const NodeContext& node) {
  const double p = static_cast<double>(within("its attribute 'p'", node.integer("p", 2), 1));
  return {pow(apply("sum", {pow(node[0].abs(), p), spatial_axes(node), true}), 1.0 / p)};
}

}  // namespace

std::vector<OpRow> window_rows() {
  const std::string_view axes = "more than 3 spatial axes";
  return {
      of_floats({"AveragePool", 1, average_pool, "PrimitiveAvgPool2D", axes}),
      of_floats({"CausalConvWithState", 27, causal_conv, "PrimitiveConvolution1D, Sigmoid"}),
      of_floats({"Col2Im", 18, col2im, "Fold; Scatter for other than 2 axes",
                 "shapes that depend on data"}),
      of_floats({"Conv", 1, conv, "PrimitiveConvolution1D, PrimitiveConvolution2D, Conv3d", axes}),
      of_floats({"ConvTranspose", 1, conv_transpose,
                 "ConvTranspose1d, ConvTranspose2d, ConvTranspose3d", axes}),
      of_floats({"GlobalAveragePool", 1, global_average, "Mean"}),
      of_floats({"GlobalLpPool", 2, global_lp, "Power, Sum"}),
      of_floats({"GlobalMaxPool", 1, global_max, "Max"}),
      of_floats({"LpPool", 2, lp_pool, "Power, PrimitiveAvgPool2D", axes}),
      {"MaxPool", 1, max_pool, "PrimitiveMaxPool2D", "indices over 3 axes"},
  };
}

}  // namespace mithril::onnx
