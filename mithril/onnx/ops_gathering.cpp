// Elements by their indices.
#include <algorithm>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Outputs gather(const NodeContext& node) {
  return {apply("gather", {node[0], node[1], node.integer("axis", 0)})};
}

Outputs gather_elements(const NodeContext& node) {
  return {apply("take_along_axis", {node[0], node[1], node.integer("axis", 0)})};
}

std::string reduction_of(const NodeContext& node) {
  const std::string name = node.text("reduction", "none");
  if (name == "none") return "set";
  if (name == "mul") return "prod";
  if (name == "max") return "amax";
  if (name == "min") return "amin";
  return name;
}

Outputs scatter_elements(const NodeContext& node) {
  const Datum reduction(reduction_of(node));
  return {apply("scatter", {node[0], node[1], node[2], node.integer("axis", 0), reduction})};
}

// One index for each tuple of indices into the first axes of these sizes. `outside`: the index for
// a tuple with an index out of range, which the op that reads it refuses.
Connection flat_index(const Connection& indices, const std::vector<Size>& sizes, std::size_t rank,
                      const Size& outside) {
  const Connection index = indices.cast(DType::int64);
  Connection made, inside;
  Size step = std::int64_t{1};
  const auto last = static_cast<std::int64_t>(rank) - 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    const Binding size = binding_of(sizes[i]);
    const Connection part = apply("gather", {index, static_cast<std::int64_t>(i), last});
    const Connection counted = apply("remainder", {part, size}) * binding_of(step);
    const Connection fits = (part + size >= 0) & (part < size);
    const bool is_first = i + 1 == sizes.size();
    made = is_first ? counted : made + counted;
    inside = is_first ? fits : inside & fits;
    step = product_of({step, sizes[i]});
  }
  return selected(inside, made, binding_of(outside));
}

// The number of indices in each tuple.
std::size_t index_depth(const NodeContext& node, std::size_t axes) {
  const Size last = node.sizes(1).back();
  const auto* depth = std::get_if<std::int64_t>(&last);
  if (!depth) refuse("the number of indices in a tuple is not known");
  return static_cast<std::size_t>(
      within("the number of indices in a tuple", *depth, 1, static_cast<std::int64_t>(axes)));
}

Outputs gather_nd(const NodeContext& node) {
  const std::size_t rank = node.need_rank(0, 1), index_rank = node.need_rank(1, 1);
  const std::vector<Size> sizes = node.sizes(0), index_sizes = node.sizes(1);
  const auto batch = static_cast<std::size_t>(
      within("its attribute 'batch_dims'", node.integer("batch_dims", 0), 0,
             static_cast<std::int64_t>(std::min(rank, index_rank)) - 1));
  const std::size_t begin = batch, end = batch + index_depth(node, rank - batch);
  const Size batches = product_of(part_of(sizes, 0, begin));
  const std::vector<Size> inner = part_of(sizes, begin, end), rest = part_of(sizes, end, rank);
  const Size rows = product_of(inner), all_rows = product_of({batches, rows});
  const Connection flat = reshaped(node[0], std::vector<Size>{all_rows} + rest);
  const Connection index = flat_index(node[1], inner, index_rank, all_rows);  // [batch..., ...]
  if (batch == 0) return {apply("gather", {flat, index, 0})};
  const Connection first = expanded(positions_to(batches) * binding_of(rows), {1});
  const Connection place = reshaped(index, {batches, std::int64_t{-1}}) + first;
  const Connection taken = apply("gather", {flat, reshaped(place, {std::int64_t{-1}}), 0});
  return {reshaped(taken, part_of(index_sizes, 0, index_rank - 1) + rest)};
}

Outputs scatter_nd(const NodeContext& node) {
  const std::size_t rank = node.need_rank(0, 1), index_rank = node.need_rank(1, 1);
  const std::vector<Size> sizes = node.sizes(0);
  const std::size_t depth = index_depth(node, rank);
  const std::vector<Size> outer = part_of(sizes, 0, depth);
  const Size rows = product_of(outer), width = product_of(part_of(sizes, depth, rank));
  const Connection index =
      reshaped(flat_index(node[1], outer, index_rank, rows), {std::int64_t{-1}, std::int64_t{1}});
  const Connection updates = reshaped(node[2], {std::int64_t{-1}, width});
  const Connection wide = index + positions_to(width) * 0;
  const Connection made = apply(
      "scatter", {reshaped(node[0], {rows, width}), wide, updates, 0, Datum(reduction_of(node))});
  return {reshaped(made, sizes)};
}

Outputs one_hot(const NodeContext& node) {
  const std::int64_t depth = within("its depth", node.clamped(1, -1, most_number), 1);
  const std::size_t rank = node.rank() + 1;
  const std::int64_t axis = node.axis(node.integer("axis", -1), rank);
  const Connection index = apply("remainder", {node[0], depth});
  const Connection inside = (node[0] >= -depth) & (node[0] < depth);
  const Connection classes =
      expanded(positions_to(depth), range_to(rank - static_cast<std::size_t>(axis), 1));
  const Connection hot = expanded(index, {axis}).eq(classes) & expanded(inside, {axis});
  const Connection off = apply("gather", {node[2], 0, 0}), on = apply("gather", {node[2], 1, 0});
  return {Value(selected(hot, on, off), node.type(2))};
}

Outputs top_k(const NodeContext& node) {
  const auto k = node.opset() < 10 ? node.integer("k") : node.clamped(1, -1, most_number);
  within("k", k, 0);
  const bool is_largest = node.flag("largest", true);
  const auto made = Model::op("top_k").apply(
      std::vector<Binding>{widened(node), k, node.integer("axis", -1), is_largest});
  const bool is_narrow = node.type() == ElementType::int32;
  return {is_narrow ? converted(made[0], node.type()) : made[0],
          Value(made[1], ElementType::int64)};
}

// The caches of attention: rows of `update` take the places from `write_indices` on.
Outputs tensor_scatter(const NodeContext& node) {
  const std::vector<Size> cache = node.sizes(0), update = node.sizes(1);
  if (cache.size() != update.size()) refuse("its cache and its update have different ranks");
  const std::int64_t axis = node.axis(node.integer("axis", -2), cache.size());
  if (axis == 0) refuse("it scatters along the batch");
  const auto at = static_cast<std::size_t>(axis);
  Connection place = positions_to(update[at]);
  if (node.has(2)) place = place + expanded(node[2], {1});
  if (node.text("mode", "linear") == "circular")
    place = apply("remainder", {place, binding_of(cache[at])});
  // [batch, steps] or [steps], in the axes of the update
  std::vector<std::int64_t> between = range_to(at, 1);
  if (!node.has(2)) between = {};
  place = expanded(place, between);
  place =
      expanded(place, range_to(cache.size() - (node.has(2) ? 0 : at), node.has(2) ? at + 1 : 1));
  place = apply("broadcast_to", {place, Binding(bindings_of(update))});
  return {apply("scatter", {node[0], place, node[1], axis, Datum("set")})};
}

}  // namespace

std::vector<OpRow> gathering_rows() {
  return {
      {"Gather", 1, gather, "Gather", {}, true},
      {"GatherElements", 11, gather_elements, "TakeAlongAxis", {}, true},
      {"GatherND", 11, gather_nd, "Gather", "tuples of a length that is not known", true},
      {"OneHot", 9, one_hot, "Equal, Where", "a depth that depends on data"},
      {"Scatter", 9, scatter_elements, "Scatter", {}, true},
      {"ScatterElements", 11, scatter_elements, "Scatter"},
      {"ScatterND", 11, scatter_nd, "Scatter", "tuples of a length that is not known"},
      {"TensorScatter", 24, tensor_scatter, "Scatter"},
      {"TopK", 1, top_k, "TopK", "a k that depends on data"},
  };
}

}  // namespace mithril::onnx
