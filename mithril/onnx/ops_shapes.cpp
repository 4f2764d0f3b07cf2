// Shapes: ops that keep the elements in their order, and those that ask for sizes.
#include <algorithm>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Outputs shape(const NodeContext& node) {
  const std::vector<Size> sizes = node.sizes();
  const auto count = static_cast<std::int64_t>(sizes.size());
  const auto place = [&](const char* name, std::int64_t fallback) {
    const std::int64_t at = node.integer(name, fallback);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(at < 0 ? at + count : at, 0, count));
  };
  const std::size_t begin = place("start", 0), end = std::max(begin, place("end", count));
  return {Value::of_sizes(part_of(sizes, begin, end))};
}

Outputs size(const NodeContext& node) {
  return {Value::of_sizes({product_of(node.sizes())}, true)};
}

// 0 copies the size of the input.
Outputs reshape(const NodeContext& node) {
  std::vector<Size> wanted;
  if (const auto attribute = node.integers("shape")) {
    wanted.assign(attribute->begin(), attribute->end());
  } else {
    wanted = node.elements(1);
  }
  const bool keeps_zeros = node.flag("allowzero");
  const bool has_zero = std::any_of(wanted.begin(), wanted.end(), [](const Size& each) {
    const auto* number = std::get_if<std::int64_t>(&each);
    return number && *number == 0;
  });
  if (has_zero && !keeps_zeros) {
    const std::vector<Size> own = node.sizes();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto* number = std::get_if<std::int64_t>(&wanted[i]);
      if (!number || *number != 0) continue;
      if (i >= own.size())
        refuse("size " + std::to_string(i) + " is to be copied, and is not there");
      wanted[i] = own[i];
    }
  }
  return {reshaped(node[0], wanted)};
}

Outputs flatten(const NodeContext& node) {
  const std::vector<Size> sizes = node.sizes();
  const auto count = static_cast<std::int64_t>(sizes.size());
  std::int64_t axis = node.integer("axis", 1);
  if (axis < 0) axis += count;
  if (axis < 0 || axis > count) refuse("there is no axis " + std::to_string(axis));
  const auto at = static_cast<std::size_t>(axis);
  return {reshaped(
      node[0], {product_of(part_of(sizes, 0, at)), product_of(part_of(sizes, at, sizes.size()))})};
}

Outputs squeeze(const NodeContext& node) {
  const auto axes = node.integers_or_input("axes", 1);
  if (axes && axes->empty()) return {node[0]};
  if (axes) return {apply("squeeze", {node[0], tuple_of(*axes)})};
  std::vector<std::int64_t> ones;
  const std::vector<std::int64_t> dims = node.known_dims();
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] == 1) ones.push_back(static_cast<std::int64_t>(i));
  if (ones.empty()) return {node[0]};
  return {apply("squeeze", {node[0], tuple_of(ones)})};
}

Outputs unsqueeze(const NodeContext& node) {
  const auto axes = node.integers_or_input("axes", 1);
  if (!axes) refuse("its axes are missing");
  return {expanded(node[0], *axes)};
}

// Both shapes broadcast, so an axis of size 1 that is wanted keeps its own size.
Outputs expand(const NodeContext& node) {
  std::vector<Size> own = node.sizes(), wanted = node.elements(1);
  const std::size_t rank = std::max(own.size(), wanted.size());
  own.insert(own.begin(), rank - own.size(), std::int64_t{1});
  wanted.insert(wanted.begin(), rank - wanted.size(), std::int64_t{1});
  for (std::size_t i = 0; i < rank; ++i) {
    const auto* number = std::get_if<std::int64_t>(&wanted[i]);
    const auto* held = std::get_if<std::int64_t>(&own[i]);
    if ((number && *number == 1) || (held && *held != 1 && !number)) wanted[i] = own[i];
  }
  return {apply("broadcast_to", {node[0], Binding(bindings_of(wanted))})};
}

Outputs transpose(const NodeContext& node) {
  const auto axes = node.integers("perm");
  if (axes) return {transposed(node[0], *axes)};
  return {node[0].T()};
}

}  // namespace

std::vector<OpRow> shape_rows() {
  return {
      {"Expand", 8, expand, "BroadcastTo", "a shape that depends on data", true},
      {"Flatten", 1, flatten, "Reshape", {}, true},
      {"Reshape", 1, reshape, "Reshape", "a shape that depends on data", true},
      {"Shape", 1, shape, "known sizes, or Size", {}, true},
      {"Size", 1, size, "known sizes, or Size", {}, true},
      {"Squeeze", 1, squeeze, "Squeeze", {}, true},
      {"Transpose", 1, transpose, "Transpose", {}, true},
      {"Unsqueeze", 1, unsqueeze, "ExpandDims", {}, true},
  };
}

}  // namespace mithril::onnx
