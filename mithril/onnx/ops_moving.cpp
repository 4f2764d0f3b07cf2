// Ops that move elements: joining, cutting, padding, repeating.
#include <algorithm>
#include <limits>

#include "mithril/onnx/parts.hpp"
#include "mithril/onnx/windows.hpp"

namespace mithril::onnx {
namespace {

Outputs concat(const NodeContext& node) {
  if (node.count() == 0) refuse("it has no inputs");
  std::vector<Connection> parts;
  for (std::size_t i = 0; i < node.count(); ++i) parts.push_back(node[i]);
  return {joined(parts, node.integer("axis", node.opset() < 4 ? std::optional<std::int64_t>(1)
                                                              : std::nullopt))};
}

// The last part may be shorter.
std::vector<std::int64_t> equal_sizes(std::int64_t total, std::int64_t count) {
  const std::int64_t each = (total + count - 1) / count;
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < count; ++i)
    sizes.push_back(std::clamp<std::int64_t>(total - i * each, 0, each));
  return sizes;
}

Outputs split(const NodeContext& node) {
  const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank());
  auto sizes = node.integers_or_input("split", 1);
  const std::size_t parts = node.node().outputs.size();
  const Size whole = node.sizes()[static_cast<std::size_t>(axis)];
  const auto* total = std::get_if<std::int64_t>(&whole);
  if (sizes) {
    sizes = within("its split", *std::move(sizes), parts, 0);
    std::int64_t sum = 0;
    for (const std::int64_t size : *sizes) sum += size;
    if (total && sum != *total)
      refuse("its parts have " + std::to_string(sum) + " elements of " + std::to_string(*total));
  } else {
    const auto count = static_cast<std::int64_t>(parts);
    const std::int64_t stated = node.integer("num_outputs", count);
    if (stated != count)
      refuse("its attribute 'num_outputs' is " + std::to_string(stated) + ", and it has " +
             std::to_string(count) + " outputs");
    if (!total) refuse("it needs the size of its axis", "shapes= of the inputs states it");
    sizes = equal_sizes(*total, count);
  }
  Outputs outputs;
  std::int64_t begin = 0;
  for (const std::int64_t size : *sizes) {
    outputs.emplace_back(sliced(node[0], axis, begin, begin + size));
    begin += size;
  }
  return outputs;
}

struct Cut {
  std::int64_t axis = 0, step = 1;
  Size start = std::int64_t{0}, stop = std::int64_t{0};
};

// Whether a number is beyond the places of every axis, towards its end or its beginning.
bool is_past_end(std::int64_t at) { return at >= std::numeric_limits<std::int32_t>::max(); }
bool is_past_start(std::int64_t at) { return at <= std::numeric_limits<std::int32_t>::min(); }

// The elements from the last one on, in reverse order, of an axis whose size is not known. The stop
// counts from its end.
Connection reversed_open_cut(const Connection& x, const Cut& cut, std::int64_t stop) {
  const Connection flipped = apply("flip", {x, cut.axis});
  const Binding end = is_past_start(stop) ? Binding(none) : Binding(-1 - stop);
  return apply("slice", {flipped, Binding({Binding(0)}), Binding({end}), tuple_of({-cut.step}),
                         tuple_of({cut.axis})});
}

// The elements in reverse order, by their indices.
Connection reversed_cut(const NodeContext& node, const Connection& x, const Cut& cut) {
  const auto *start = std::get_if<std::int64_t>(&cut.start),
             *stop = std::get_if<std::int64_t>(&cut.stop);
  if (!start || !stop) refuse("it goes backwards between sizes that are not known");
  const auto axis = static_cast<std::size_t>(cut.axis);
  const bool is_open = !std::get_if<std::int64_t>(&node.sizes()[axis]);
  const bool is_from_end = is_past_end(*start) || *start == -1;
  if (is_open && is_from_end && *stop < 0 && !is_past_start(cut.step))
    return reversed_open_cut(x, cut, *stop);
  const std::int64_t size = node.known_dim(0, axis);
  // A start before the first element is the first element, a stop is one place before it.
  const auto place = [&](std::int64_t at, std::int64_t least) {
    return std::clamp<std::int64_t>(at < 0 ? (at < -size ? -1 : at + size) : at,
                                    std::min(least, size - 1), size - 1);
  };
  const Connection places = apply("arange", {place(*stop, -1), place(*start, 0), cut.step});
  return apply("gather", {x, node.workspace().as_constant(places), cut.axis});
}

Connection cut(const NodeContext& node, const Connection& x, const Cut& cut) {
  if (cut.step == 0) refuse("its step is 0");
  if (cut.step < 0) return reversed_cut(node, x, cut);
  const auto bound = [](const Size& size) {
    const auto* number = std::get_if<std::int64_t>(&size);
    if (number && is_past_end(*number)) return Binding(none);
    // Python counts from the end as ONNX does, and stops at the first element as well.
    if (number && is_past_start(*number)) return Binding(0);
    return binding_of(size);
  };
  const auto* begin = std::get_if<std::int64_t>(&cut.start);
  const bool is_beyond = begin && is_past_end(*begin);
  return apply("slice", {x, Binding({is_beyond ? binding_of(cut.start) : bound(cut.start)}),
                         Binding({bound(cut.stop)}), tuple_of({cut.step}), tuple_of({cut.axis})});
}

Outputs slice_of(const NodeContext& node) {
  const bool is_attribute = node.opset() < 10;
  const auto numbers = [&](const char* name) {
    const auto found = node.integers(name);
    return found ? std::vector<Size>(found->begin(), found->end()) : std::vector<Size>();
  };
  const std::vector<Size> starts = is_attribute ? numbers("starts") : node.elements(1);
  const std::vector<Size> stops = is_attribute ? numbers("ends") : node.elements(2);
  auto axes = is_attribute  ? node.integers("axes")
              : node.has(3) ? std::optional(node.ints(3))
                            : std::nullopt;
  if (!axes) axes = range_to(starts.size());
  const std::vector<std::int64_t> steps =
      !is_attribute && node.has(4) ? node.ints(4) : std::vector<std::int64_t>(starts.size(), 1);
  if (stops.size() != starts.size() || axes->size() != starts.size() ||
      steps.size() != starts.size())
    refuse("its starts, ends, axes and steps have different lengths");
  Connection x = node[0];
  const std::size_t rank = node.rank();
  for (std::size_t i = 0; i < starts.size(); ++i)
    x = cut(node, x,
            {.axis = node.axis((*axes)[i], rank),
             .step = steps[i],
             .start = starts[i],
             .stop = stops[i]});
  return {x};
}

// Where each element of an axis comes from after padding with elements of the axis.
Connection padded_places(const std::string& mode, const Size& size, std::int64_t before,
                         std::int64_t after) {
  const Size count = plus(size, before + after);
  if (const auto* number = std::get_if<std::int64_t>(&count)) {
    within("the padded size", *number, 0);
    if (std::get<std::int64_t>(size) == 0 && *number > 0)
      refuse("it repeats elements of an axis of size 0");
  }
  const Connection n = apply("to_tensor", {binding_of(size), DType::int64});
  const Connection place = apply("subtract", {positions_to(count), before});
  const Connection last = apply("subtract", {n, 1});
  if (mode == "edge") return apply("minimum", {apply("maximum", {place, 0}), last});
  // The divisors are at least 1. So the gather, and no division, refuses an axis without elements.
  if (mode == "wrap") return apply("remainder", {place, apply("maximum", {n, 1})});
  const Connection period = apply("maximum", {apply("multiply", {last, 2}), 1});
  const Connection reflected = apply("remainder", {place, period});
  return apply("minimum", {reflected, apply("subtract", {period, reflected})});
}

Binding pad_value(const NodeContext& node) {
  if (is_float(node.type())) return node.has(2) ? node.number(2) : node.real("value", 0.0);
  if (node.has(2)) return node.ints(2).front();
  return static_cast<std::int64_t>(node.real("value", 0.0));
}

// Widths may be sizes that are not known.
Outputs pad_by_sizes(const NodeContext& node) {
  const std::vector<Size> widths = node.elements(1);
  const std::size_t rank = node.rank();
  need_count("its pads", widths.size(), 2 * rank);
  std::vector<Binding> pairs;
  for (std::size_t axis = 0; axis < rank; ++axis)
    pairs.emplace_back(bindings_of({widths[axis], widths[rank + axis]}));
  return {apply("pad", {node[0], Binding(std::move(pairs)), pad_value(node)})};
}

// The axis without the elements that negative widths remove, and its size. The widths become 0.
std::pair<Connection, Size> cropped(const Connection& x, std::size_t axis, const Size& size,
                                    std::int64_t& before, std::int64_t& after) {
  const std::int64_t first = std::min<std::int64_t>(before, 0),
                     last = std::min<std::int64_t>(after, 0);
  before = std::max<std::int64_t>(before, 0);
  after = std::max<std::int64_t>(after, 0);
  if (first == 0 && last == 0) return {x, size};
  const Size left = plus(size, first + last);
  if (const auto* known = std::get_if<std::int64_t>(&left))
    within("the size without what pads remove", *known, 0);
  std::vector<std::pair<std::int64_t, std::int64_t>> widths(axis + 1);
  widths.back() = {first, last};
  widths.resize(x.known_shape().rank().value());
  return {apply("pad", {x, pairs_of(widths), 0}), left};
}

Outputs pad(const NodeContext& node) {
  const std::string mode = node.text("mode", "constant");
  if (mode == "constant" && node.has(1) && node.value(1).sizes && !node.has(3))
    return pad_by_sizes(node);
  auto widths = node.integers("pads");
  if (!widths) widths = node.integers("paddings");
  if (!widths) widths = node.ints(1);
  const std::size_t rank = node.rank();
  std::vector<std::int64_t> axes = range_to(rank);
  if (node.has(3)) axes = node.ints(3);
  widths = within("its pads", *std::move(widths), 2 * axes.size(), -most_number);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs(rank);
  for (std::size_t i = 0; i < axes.size(); ++i)
    pairs[static_cast<std::size_t>(node.axis(axes[i], rank))] = {(*widths)[i],
                                                                 (*widths)[axes.size() + i]};
  if (mode == "constant") return {apply("pad", {node[0], pairs_of(pairs), pad_value(node)})};
  if (mode != "reflect" && mode != "edge" && mode != "wrap") refuse("its mode is " + mode);
  const std::vector<Size> sizes = node.sizes();
  Connection x = node[0];
  for (std::size_t axis = 0; axis < rank; ++axis) {
    auto [before, after] = pairs[axis];
    if (before == 0 && after == 0) continue;
    const auto [kept, left] = cropped(x, axis, sizes[axis], before, after);
    Connection places = padded_places(mode, left, before, after);
    if (std::holds_alternative<std::int64_t>(left)) places = node.workspace().as_constant(places);
    x = apply("gather", {kept, places, static_cast<std::int64_t>(axis)});
  }
  return {x};
}

Outputs tile(const NodeContext& node) {
  return {apply("tile", {node[0], Binding(bindings_of(node.elements(1)))})};
}

std::int64_t block_size(const NodeContext& node) {
  node.need_rank(0, 4, 4);
  return within("its attribute 'blocksize'", node.integer("blocksize"), 1, 1 << 15);
}

// The number of blocks. A model refuses a size that is not a multiple when it is evaluated.
Size blocks_of(const Size& size, std::int64_t block) {
  const auto* number = std::get_if<std::int64_t>(&size);
  if (!number) return apply("floor_divide", {binding_of(size), block});
  if (*number % block != 0)
    refuse("a size of " + std::to_string(*number) + " is not a multiple of " +
           std::to_string(block));
  return *number / block;
}

Outputs depth_to_space(const NodeContext& node) {
  const std::int64_t block = block_size(node);
  const std::vector<Size> sizes = node.sizes();
  const Size channels = blocks_of(sizes[1], block * block);
  const bool is_crd = node.text("mode", "DCR") == "CRD";
  const std::vector<Size> split =
      is_crd ? std::vector<Size>{sizes[0], channels, block, block, sizes[2], sizes[3]}
             : std::vector<Size>{sizes[0], block, block, channels, sizes[2], sizes[3]};
  const std::vector<std::int64_t> order = is_crd ? std::vector<std::int64_t>{0, 1, 4, 2, 5, 3}
                                                 : std::vector<std::int64_t>{0, 3, 4, 1, 5, 2};
  const Size height = product_of({sizes[2], block}), width = product_of({sizes[3], block});
  return {
      reshaped(transposed(reshaped(node[0], split), order), {sizes[0], channels, height, width})};
}

Outputs space_to_depth(const NodeContext& node) {
  const std::int64_t block = block_size(node);
  const std::vector<Size> sizes = node.sizes();
  const Size height = blocks_of(sizes[2], block), width = blocks_of(sizes[3], block);
  const Connection split = reshaped(node[0], {sizes[0], sizes[1], height, block, width, block});
  const bool is_crd = node.text("mode", "DCR") == "CRD";
  const std::vector<std::int64_t> order = is_crd ? std::vector<std::int64_t>{0, 1, 3, 5, 2, 4}
                                                 : std::vector<std::int64_t>{0, 3, 5, 1, 2, 4};
  const Size channels = product_of({sizes[1], block, block});
  return {reshaped(transposed(split, order), {sizes[0], channels, height, width})};
}

Outputs trilu(const NodeContext& node) {
  const bool is_upper = node.flag("upper", true);
  const std::int64_t shift = node.has(1) ? node.clamped(1, -most_number, most_number) : 0;
  node.need_rank(0, 2);
  const std::vector<Size> sizes = node.sizes();
  const Connection rows = expanded(positions_to(sizes[sizes.size() - 2]), {1});
  const Connection columns = positions_to(sizes.back());
  const Connection mask = is_upper ? columns >= rows + shift : columns <= rows + shift;
  if (node.type() == ElementType::boolean) return {node[0] & mask};
  return {selected(mask, node[0], apply("zeros_like", {node[0]}))};
}

Outputs reverse_sequence(const NodeContext& node) {
  const std::int64_t batch = node.integer("batch_axis", 1), time = node.integer("time_axis", 0);
  node.need_rank(0, 2);
  const std::vector<Size> sizes = node.sizes();
  if (batch != 1 - time || (time != 0 && time != 1)) refuse("its axes are not the first two");
  const Connection steps = positions_to(sizes[static_cast<std::size_t>(time)]);
  // [time, batch], or [batch, time]
  const Connection at = time == 0 ? expanded(steps, {1}) : steps;
  const Connection lengths = time == 0 ? node[1] : expanded(node[1], {1});
  Connection index = selected(at < lengths, lengths - 1 - at, at + lengths * 0);
  index = expanded(index, range_to(sizes.size(), 2));
  index = apply("broadcast_to", {index, Binding(bindings_of(sizes))});
  return {apply("take_along_axis", {node[0], index, time})};
}

Outputs center_crop_pad(const NodeContext& node) {
  const std::size_t rank = node.rank();
  const std::vector<std::int64_t> wanted = node.ints(1);
  std::vector<std::int64_t> axes = node.integers("axes").value_or(range_to(rank));
  within("its shape", wanted, axes.size(), 0);
  Tuple widths(rank, Datum::ints({0, 0}));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(node.axis(axes[i], rank));
    const std::int64_t more = wanted[i] - node.known_dim(0, axis);
    const std::int64_t before = more / 2;  // rounded towards zero
    widths[axis] = Datum::ints({before, more - before});
  }
  return {apply("pad", {node[0], Datum(widths), 0})};
}

}  // namespace

std::vector<OpRow> moving_rows() {
  return {
      {"CenterCropPad", 18, center_crop_pad, "Pad", "sizes of its axes that are not known"},
      {"Concat", 1, concat, "Concat", {}, true},
      {"DepthToSpace", 1, depth_to_space, "Reshape, Transpose", {}, true},
      {"Pad", 1, pad, "Pad; Gather for other modes", "pads that depend on data"},
      {"ReverseSequence", 10, reverse_sequence, "TakeAlongAxis", {}, true},
      {"Slice", 1, slice_of, "PrimitiveSlice; Gather backwards", "limits that depend on data",
       true},
      {"SpaceToDepth", 1, space_to_depth, "Reshape, Transpose", {}, true},
      {"Split", 1, split, "PrimitiveSlice", "sizes that depend on data", true},
      {"Tile", 6, tile, "Tile", "repeats that depend on data", true},
      {"Trilu", 14, trilu, "Where"},
  };
}

}  // namespace mithril::onnx
