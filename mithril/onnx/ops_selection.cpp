// Elements that are chosen by data, so that their number depends on data: distinct elements, those
// that are not zero, boxes that overlap no better one.
#include <algorithm>
#include <limits>

#include "mithril/models/scan.hpp"
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Value counted(const Connection& x, ElementType type, const Connection& count,
              std::int64_t axis = 0) {
  Value made(x, type);
  made.count = count;
  made.count_axis = axis;
  return made;
}

Connection opposite(const Connection& x) { return apply("logical_not", {x}); }

// The places of a vector of bools: those of true ones first, in order.
Connection chosen_first(const Connection& chosen) {
  return apply("argsort", {opposite(chosen).cast(DType::int64), 0});
}

Connection count_of(const Connection& chosen) { return chosen.cast(DType::int64).sum(); }

// Boxes [batch, boxes, 2] from their lowest to their highest corners.
struct Boxes {
  Connection low, high;
};

Boxes boxes_of(const NodeContext& node) {
  const Connection first = sliced(node[0], -1, 0, 2), second = sliced(node[0], -1, 2, 4);
  if (!node.flag("center_point_box"))
    return {apply("minimum", {first, second}), apply("maximum", {first, second})};
  const Connection half = second / 2.0;
  return {first - half, first + half};
}

// The box with the largest score of each class, if one is left. It removes itself, and the boxes
// whose area it shares to more than the limit. Scores of removed boxes are -inf.
Model selection_step() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Connection left = port("left"), low = port("low"), high = port("high"), area = port("area"),
                   limit = port("limit"), places = port("places");
  const Connection best = apply("argmax", {left, -1, false});  // [batch, classes]
  const Connection found = apply("max", {left, -1, false}) > -infinity;
  const Connection index = expanded(best, {2});
  const auto corner = [&](const Connection& all) {
    const Connection pairs = index + apply("arange", {2}) * 0;
    return expanded(apply("take_along_axis", {all, pairs, 1}), {2});  // [batch, classes, 1, 2]
  };
  const Connection extent = apply("minimum", {corner(high), expanded(high, {1})}) -
                            apply("maximum", {corner(low), expanded(low, {1})});
  const Connection shared = apply("maximum", {extent, 0.0}).prod(-1);
  const Connection other = expanded(area, {1});
  const Connection own = apply("take_along_axis", {area, best, 1});
  const Connection either = expanded(own, {2}) + other - shared;
  const Connection overlaps =
      (shared > 0.0) & (either > 0.0) & (other > 0.0) & (shared / either > limit);
  const Connection next = selected(overlaps | places.eq(index), -infinity, left);
  return Model::create({{"next", next}, {"best", best}, {"found", found}});
}

// As many rows of a batch, a class and a box as could be chosen.
Outputs non_max_suppression(const NodeContext& node) {
  node.need_rank(0, 3, 3);
  node.need_rank(1, 3, 3);
  const std::vector<Size> sizes = node.sizes(1);
  std::int64_t most = node.has(2) ? node.clamped(2, 0, most_number) : 0;
  if (const auto* boxes = std::get_if<std::int64_t>(&sizes[2])) most = std::min(most, *boxes);
  if (most == 0)
    return {Value(Tensor::of({0, 3}, std::vector<std::int64_t>{}), ElementType::int64)};
  within("its max_output_boxes_per_class", most, 1, std::int64_t{1} << 20);
  const auto number = [&](std::size_t i) { return reshaped(node[i], {}); };
  Connection scores = node[1];
  if (node.has(4))
    scores = selected(scores > number(4), scores, -std::numeric_limits<double>::infinity());
  const Boxes boxes = boxes_of(node);
  const Connection zero = constant(Tensor::scalar(0.0).to(*held_dtype(node.type())));
  const Model loop =
      Scan(selection_step(),
           {.carry = {{"left", "next"}}, .outputs = {"best", "found"}, .length = Binding(most)});
  const Bindings inputs{{"left", scores},
                        {"low", boxes.low},
                        {"high", boxes.high},
                        {"area", (boxes.high - boxes.low).prod(-1)},
                        {"limit", node.has(3) ? number(3) : zero},
                        {"places", positions_to(sizes[2])}};
  static_cast<void>(loop.apply(inputs));
  const Connection box = transposed(loop.at("best"), {1, 2, 0});  // [batch, classes, most]
  const Connection found = reshaped(transposed(loop.at("found"), {1, 2, 0}), {-1});
  const Connection batch = expanded(positions_to(sizes[0]), {1, 2}) + box * 0;
  const Connection of_class = expanded(positions_to(sizes[1]), {1}) + box * 0;
  const Connection rows =
      joined({expanded(batch, {3}), expanded(of_class, {3}), expanded(box, {3})}, 3);
  const Connection chosen = apply("gather", {reshaped(rows, {-1, 3}), chosen_first(found), 0});
  return {counted(chosen, ElementType::int64, count_of(found))};
}

constexpr std::int64_t most_compared = 1000;  // elements of the slices that are compared

// The order of slices [n, m] by their first elements, then their second ones, and so on. Equal
// slices keep their order.
Connection order_of(const Connection& slices, std::int64_t width) {
  Connection order;
  for (std::int64_t i = width; i-- > 0;) {
    const Connection column = apply("gather", {slices, i, 1});
    if (i + 1 == width) {
      order = apply("argsort", {column, 0});
    } else {
      const Connection sorted = apply("argsort", {apply("gather", {column, order, 0}), 0});
      order = apply("gather", {order, sorted, 0});
    }
  }
  return order;
}

// The distinct elements, or slices along an axis, in ascending order or that of their first places.
// Outputs: they, their first places, the place of each element among them, and how often each
// occurs.
Outputs unique(const NodeContext& node) {
  const bool has_axis = node.attribute("axis") != nullptr;
  const std::vector<Size> sizes = node.sizes();
  const std::int64_t axis = has_axis ? node.axis(node.integer("axis"), sizes.size()) : 0;
  const Connection whole = has_axis ? node[0] : reshaped(node[0], {-1});
  const Size count = has_axis ? sizes[static_cast<std::size_t>(axis)] : product_of(sizes);
  std::int64_t width = 1;
  if (has_axis) {
    const std::vector<std::int64_t> dims = node.known_dims();
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (static_cast<std::int64_t>(i) != axis)
        width = within("the number of elements of a slice", width * dims[i], 1, most_compared);
  }
  std::vector<std::int64_t> order_of_axes = range_to(has_axis ? sizes.size() : 1);
  std::rotate(order_of_axes.begin(), order_of_axes.begin() + axis,
              order_of_axes.begin() + axis + 1);
  const Connection slices = reshaped(transposed(whole, order_of_axes), {count, width});
  const Connection order = order_of(slices, width), places = positions_to(count);
  const Connection sorted = apply("gather", {slices, order, 0});
  const Connection before = apply("gather", {sorted, apply("maximum", {places - 1, 0}), 0});
  const Connection differs = (sorted.ne(before)).cast(DType::int64).sum(1) > 0;
  const Connection first = differs | places.eq(0);
  const Connection total = count_of(first);
  const Connection group = apply("cumsum", {first.cast(DType::int64), 0}) - 1;
  const Connection zeros = places * 0;
  Connection inverse = apply("scatter", {zeros, order, group, 0, Datum("set")});
  Connection counts = apply("scatter", {zeros, group, zeros + 1, 0, Datum("add")});
  Connection indices = apply("gather", {order, chosen_first(first), 0});
  if (!node.flag("sorted", true)) {
    // Those that are none come last.
    const Connection key = apply("where", {places < total, indices, binding_of(count)});
    const Connection by_place = apply("argsort", {key, 0});
    indices = apply("gather", {indices, by_place, 0});
    counts = apply("gather", {counts, by_place, 0});
    inverse = apply("gather", {apply("argsort", {by_place, 0}), inverse, 0});
  }
  const ElementType type = ElementType::int64;
  return {counted(apply("gather", {whole, indices, axis}), node.type(), total, axis),
          counted(indices, type, total), Value(inverse, type), counted(counts, type, total)};
}

Outputs known_places(const Tensor& elements) {
  const Dims& dims = elements.dims();
  std::vector<std::vector<std::int64_t>> rows(dims.size());
  for (std::int64_t i = 0; i < elements.size(); ++i) {
    if (elements.at_as_double(i) == 0) continue;
    std::int64_t rest = i;
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      rows[axis].push_back(rest % dims[axis]);
      rest /= dims[axis];
    }
  }
  std::vector<std::int64_t> made;
  for (const auto& row : rows) made.insert(made.end(), row.begin(), row.end());
  const auto count = static_cast<std::int64_t>(rows.empty() ? 0 : rows.front().size());
  return {
      Value(Tensor::of({static_cast<std::int64_t>(rows.size()), count}, made), ElementType::int64)};
}

// The places of elements that are not zero: a row for each axis.
Outputs non_zero(const NodeContext& node) {
  if (node.is_known(0)) return known_places(node.known(0));
  const std::size_t rank = node.need_rank(0, 1);
  const std::vector<Size> sizes = node.sizes();
  const Connection flat = reshaped(node[0], {-1});
  const Connection chosen = node.type() == ElementType::boolean ? flat : flat.ne(0);
  const Connection places = chosen_first(chosen);
  std::vector<Connection> rows;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const Size step = product_of(part_of(sizes, axis + 1, rank));
    const Connection all = apply("floor_divide", {places, binding_of(step)});
    rows.push_back(expanded(apply("remainder", {all, binding_of(sizes[axis])}), {0}));
  }
  return {counted(joined(rows, 0), ElementType::int64, count_of(chosen), 1)};
}

// The condition may be shorter than the axis.
Outputs compress(const NodeContext& node) {
  const bool has_axis = node.attribute("axis") != nullptr;
  node.need_rank(1, 1, 1);
  const std::int64_t axis = has_axis ? node.axis(node.integer("axis"), node.rank()) : 0;
  const Connection x = has_axis ? node[0] : reshaped(node[0], {-1});
  if (node.is_known(1)) {
    std::vector<std::int64_t> places;
    const std::vector<std::int64_t> flags = node.ints(1);
    for (std::size_t i = 0; i < flags.size(); ++i)
      if (flags[i] != 0) places.push_back(static_cast<std::int64_t>(i));
    return {apply("gather", {x, constant(places), axis})};
  }
  const Connection chosen = node[1].cast(DType::boolean);
  const Connection made = apply("gather", {x, chosen_first(chosen), axis});
  return {counted(made, node.type(), count_of(chosen), axis)};
}

}  // namespace

std::vector<OpRow> selection_rows() {
  return {
      {"Compress", 9, compress, "ArgSort, Gather", {}, true},
      of_floats({"NonMaxSuppression", 10, non_max_suppression, "ScanNode, ArgMax",
                 "a number of boxes that depends on data"}),
      {"NonZero", 9, non_zero, "ArgSort, FloorDivide", "scalars"},
      {"Unique", 11, unique, "ArgSort, Scatter, Gather", "slices of more than 1,000 elements"},
  };
}

}  // namespace mithril::onnx
