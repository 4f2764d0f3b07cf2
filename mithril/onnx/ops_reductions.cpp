// Sums, means and extrema along axes, and cumulative ones.
#include <limits>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

struct Reduced {
  Binding axes = none;
  bool keeps = true;
  bool is_identity = false;
};

Reduced reduced_axes(const NodeContext& node) {
  Reduced made;
  made.keeps = node.flag("keepdims", true);
  const auto axes = node.integers_or_input("axes", 1);
  if (axes && !axes->empty()) {
    made.axes = tuple_of(*axes);
  } else {
    made.is_identity = node.flag("noop_with_empty_axes");
  }
  return made;
}

Connection reduce(const char* op, const Connection& x, const Reduced& reduced) {
  if (reduced.is_identity) return x;
  return apply(op, {x, reduced.axes, reduced.keeps});
}

// What ONNX makes of no elements, which is an error of the ops here: the number in place of each
// result. Nothing if all axes that are reduced have elements.
std::optional<Outputs> of_no_elements(const NodeContext& node, double number) {
  const std::vector<Size> sizes = node.sizes();
  const auto axes = node.integers_or_input("axes", 1);
  std::vector<bool> is_reduced(sizes.size(), !axes || axes->empty());
  if (axes)
    for (const std::int64_t axis : *axes)
      is_reduced[static_cast<std::size_t>(node.axis(axis, sizes.size()))] = true;
  const Reduced reduced = reduced_axes(node);
  std::vector<Size> rest;
  bool has_none = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto* size = std::get_if<std::int64_t>(&sizes[i]);
    if (is_reduced[i]) has_none = has_none || (size && *size == 0);
    if (!is_reduced[i] || reduced.keeps) rest.push_back(is_reduced[i] ? Size(1) : sizes[i]);
  }
  if (!has_none || reduced.is_identity) return std::nullopt;
  if (is_int(node.type())) refuse("it chooses from no ints");
  const Binding shape(bindings_of(rest));
  if (node.type() == ElementType::boolean) return Outputs{apply("full", {shape, number > 0})};
  return Outputs{apply("full", {shape, number, *held_dtype(node.type())})};
}

constexpr double infinite = std::numeric_limits<double>::infinity();

Outputs reduce_sum(const NodeContext& node) { return {reduce("sum", node[0], reduced_axes(node))}; }
Outputs reduce_prod(const NodeContext& node) {
  return {reduce("prod", node[0], reduced_axes(node))};
}
Outputs reduce_max(const NodeContext& node) {
  if (auto made = of_no_elements(node, -infinite)) return *std::move(made);
  return {reduce("max", node[0], reduced_axes(node))};
}
Outputs reduce_min(const NodeContext& node) {
  if (auto made = of_no_elements(node, infinite)) return *std::move(made);
  return {reduce("min", node[0], reduced_axes(node))};
}

Outputs reduce_mean(const NodeContext& node) {
  if (is_int(node.type())) refuse("means of ints are not supported");
  return {reduce("mean", node[0], reduced_axes(node))};
}

Outputs reduce_l1(const NodeContext& node) {
  return {reduce("sum", node[0].abs(), reduced_axes(node))};
}

Outputs reduce_l2(const NodeContext& node) {
  const Connection square = reduce("sum", squared(node[0]), reduced_axes(node));
  if (!is_int(node.type())) return {square.sqrt()};
  return {converted(square.cast(DType::float64).sqrt(), node.type())};
}

void refuse_ints(const NodeContext& node) {
  if (is_int(node.type())) refuse("logarithms of ints are not supported");
}

Outputs reduce_log_sum(const NodeContext& node) {
  refuse_ints(node);
  return {apply("log", {reduce("sum", node[0], reduced_axes(node))})};
}

// The largest element is subtracted, so that the exponentials are at most 1.
Outputs reduce_log_sum_exp(const NodeContext& node) {
  refuse_ints(node);
  const Reduced reduced = reduced_axes(node);
  if (reduced.is_identity) return {node[0]};
  if (auto made = of_no_elements(node, -infinite)) return *std::move(made);
  const Connection largest = apply("max", {node[0], reduced.axes, true});
  const Connection finite = selected(apply("is_nan", {largest - largest}), 0.0, largest);
  const Connection sums = apply("sum", {(node[0] - finite).exp(), reduced.axes, true});
  Connection made = apply("log", {sums}) + finite;
  if (!reduced.keeps) {
    const auto axes = node.integers_or_input("axes", 1);
    const bool has_axes = axes && !axes->empty();
    made = apply("squeeze", {made, tuple_of(has_axes ? *axes : range_to(node.rank()))});
  }
  return {made};
}

Outputs reduce_sum_square(const NodeContext& node) {
  return {reduce("sum", squared(node[0]), reduced_axes(node))};
}

template <bool is_max>
Outputs arg_extremum(const NodeContext& node) {
  const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank());
  const bool keeps = node.flag("keepdims", true);
  const char* op = is_max ? "argmax" : "argmin";
  const Connection x = widened(node);
  if (!node.flag("select_last_index"))
    return {Value(apply(op, {x, axis, keeps}), ElementType::int64)};
  const Connection turned = apply("flip", {x, axis});
  const Size size = node.sizes()[static_cast<std::size_t>(axis)];
  const Connection index = apply(op, {turned, axis, keeps});
  return {Value(apply("subtract", {binding_of(size), index}) - 1, ElementType::int64)};
}

// Moved by one place along the axis, with a zero at the other end.
Connection shifted(const Connection& x, std::int64_t axis, std::size_t rank, bool to_begin) {
  Tuple widths(rank, Datum::ints({0, 0}));
  widths[static_cast<std::size_t>(axis)] = to_begin ? Datum::ints({0, 1}) : Datum::ints({1, 0});
  const Connection wide = apply("pad", {x, Datum(widths), 0});
  return to_begin ? sliced(wide, axis, 1, none) : sliced(wide, axis, 0, -1);
}

Outputs cumsum(const NodeContext& node) {
  const std::size_t rank = node.rank();
  const std::int64_t axis = node.axis(node.clamped(1, -most_number, most_number), rank);
  const bool is_reverse = node.flag("reverse");
  const Connection x = node.flag("exclusive") ? shifted(node[0], axis, rank, is_reverse) : node[0];
  return {apply("cumsum", {x, axis, is_reverse})};
}

Outputs cumprod(const NodeContext& node) {
  const std::int64_t axis = node.axis(node.clamped(1, -most_number, most_number), node.rank());
  return {apply("cumprod", {node[0], axis, node.flag("reverse"), node.flag("exclusive")})};
}

}  // namespace

std::vector<OpRow> reduction_rows() {
  const std::string_view axes = "axes that depend on data";
  return {
      {"ArgMax", 1, arg_extremum<true>, "ArgMax"},
      {"ArgMin", 1, arg_extremum<false>, "ArgMin"},
      {"CumProd", 26, cumprod, "Cumprod", "an axis that depends on data"},
      {"CumSum", 11, cumsum, "Cumsum", "an axis that depends on data"},
      {"ReduceL1", 1, reduce_l1, "Absolute, Sum", axes},
      {"ReduceL2", 1, reduce_l2, "Square, Sum, Sqrt", axes},
      {"ReduceLogSum", 1, reduce_log_sum, "Sum, Log", "ints"},
      {"ReduceLogSumExp", 1, reduce_log_sum_exp, "Max, Exponential, Sum, Log", "ints"},
      {"ReduceMax", 1, reduce_max, "Max", axes},
      {"ReduceMean", 1, reduce_mean, "Mean", "ints"},
      {"ReduceMin", 1, reduce_min, "Min", axes},
      {"ReduceProd", 1, reduce_prod, "Prod", axes},
      {"ReduceSum", 1, reduce_sum, "Sum", axes},
      {"ReduceSumSquare", 1, reduce_sum_square, "Square, Sum", axes},
  };
}

}  // namespace mithril::onnx
