// Sequences and optionals. They are known at import, so the model has their elements alone.
#include <algorithm>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Value sequence_of(std::vector<Value> items, ElementType type) {
  if (items.size() > static_cast<std::size_t>(most_items))
    refuse("it makes a sequence of " + std::to_string(items.size()) +
           " tensors, expected at most " + std::to_string(most_items));
  Value made;
  made.type = type;
  made.is_sequence = true;
  made.items = std::move(items);
  return made;
}

const std::vector<Value>& items_of(const NodeContext& node, std::size_t i = 0) {
  if (!node.value(i).is_sequence) refuse("its input " + std::to_string(i) + " is not a sequence");
  return node.value(i).items;
}

const Value& element(const NodeContext& node, std::size_t i) {
  if (node.value(i).is_sequence || node.value(i).is_empty)
    refuse("its input " + std::to_string(i) + " is not a tensor");
  return node.value(i);
}

std::int64_t place_of(const NodeContext& node, std::size_t i) {
  if (node.known(i).size() != 1) refuse("its position is not one number");
  return node.ints(i).front();
}

Outputs sequence_construct(const NodeContext& node) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < node.count(); ++i) {
    items.push_back(element(node, i));
    if (items.back().type != items.front().type) refuse("its inputs have different types");
  }
  if (items.empty()) refuse("it has no inputs");
  const ElementType type = items.front().type;
  return {sequence_of(std::move(items), type)};
}

Outputs sequence_empty(const NodeContext& node) {
  return {sequence_of({}, element_type(node, "dtype", ElementType::float32))};
}

Outputs sequence_at(const NodeContext& node) {
  const std::vector<Value>& items = items_of(node);
  const std::int64_t at = node.axis(place_of(node, 1), items.size());
  return {items[static_cast<std::size_t>(at)]};
}

Outputs sequence_insert(const NodeContext& node) {
  std::vector<Value> items = items_of(node);
  const Value& item = element(node, 1);
  if (item.type != node.type(0)) refuse("its tensor is of another type than the sequence");
  // An element may be inserted after the last one.
  const auto count = static_cast<std::int64_t>(items.size());
  std::int64_t at = node.has(2) ? place_of(node, 2) : count;
  if (at < 0) at += count;
  within("its position", at, 0, count);
  items.insert(items.begin() + at, item);
  return {sequence_of(std::move(items), node.type(0))};
}

Outputs sequence_erase(const NodeContext& node) {
  std::vector<Value> items = items_of(node);
  const std::int64_t at = node.axis(node.has(1) ? place_of(node, 1) : -1, items.size());
  items.erase(items.begin() + at);
  return {sequence_of(std::move(items), node.type(0))};
}

Outputs sequence_length(const NodeContext& node) {
  const auto count = static_cast<std::int64_t>(items_of(node).size());
  return {Value(Tensor::of({}, std::vector<std::int64_t>{count}), ElementType::int64)};
}

// Parts of one size, of which the last may be smaller, or parts of given sizes. Without sizes, each
// part has one element along the axis, which keepdims=0 removes.
Outputs split_to_sequence(const NodeContext& node) {
  const std::int64_t axis = node.axis(node.integer("axis", 0), node.rank());
  const Size whole = node.sizes()[static_cast<std::size_t>(axis)];
  const auto* total = std::get_if<std::int64_t>(&whole);
  std::vector<std::int64_t> sizes;
  if (node.has(1) && node.known(1).rank() == 1) {
    sizes = node.ints(1);
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes) sum += within("a size of its parts", size, 0);
    if (total && sum != *total)
      refuse("its parts have " + std::to_string(sum) + " elements of " + std::to_string(*total));
  } else {
    if (!total) refuse("it needs the size of its axis", "shapes= of the inputs states it");
    const std::int64_t each =
        node.has(1) ? within("the size of its parts", place_of(node, 1), 1) : 1;
    within("the number of its parts", (*total + each - 1) / each, 0,
           static_cast<std::int64_t>(most_items));
    for (std::int64_t begin = 0; begin < *total; begin += each)
      sizes.push_back(std::min(each, *total - begin));
  }
  const bool keeps_axis = node.has(1) || node.flag("keepdims", true);
  std::vector<Value> items;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    const Connection part = sliced(node[0], axis, begin, begin + size);
    items.emplace_back(keeps_axis ? part : apply("squeeze", {part, axis}), node.type());
    begin += size;
  }
  return {sequence_of(std::move(items), node.type())};
}

Outputs concat_from_sequence(const NodeContext& node) {
  const bool is_new = node.flag("new_axis");
  std::vector<Connection> parts;
  for (const Value& item : items_of(node)) parts.push_back(node.workspace().connection(item));
  if (parts.empty()) refuse("its sequence is empty");
  std::int64_t axis = node.integer("axis");
  if (is_new) {
    const auto sizes = sizes_of(parts.front());
    if (!sizes) refuse("the rank of its tensors is not known");
    axis = node.axis(axis, sizes->size() + 1);
    for (Connection& part : parts) part = expanded(part, {axis});
  }
  return {Value(joined(parts, axis), node.type())};
}

// An optional with an element is its element.
Outputs optional(const NodeContext& node) {
  if (node.has(0)) return {node.value(0)};
  Value made;
  made.is_empty = true;
  return {made};
}

Outputs optional_has_element(const NodeContext& node) {
  const bool has = node.has(0) && !node.value(0).is_empty;
  return {Value(Tensor::scalar(has), ElementType::boolean)};
}

Outputs optional_get_element(const NodeContext& node) {
  if (node.value(0).is_empty) refuse("its optional has no element");
  return {node.value(0)};
}

}  // namespace

std::vector<OpRow> sequence_rows() {
  const std::string_view values = "the elements at import", places = "places that depend on data";
  return {
      of_sequences({"ConcatFromSequence", 11, concat_from_sequence, "Concat"}),
      of_sequences({"Optional", 15, optional, values}),
      of_sequences({"OptionalGetElement", 15, optional_get_element, values}),
      of_sequences({"OptionalHasElement", 15, optional_has_element, values}),
      of_sequences({"SequenceAt", 11, sequence_at, values, places}),
      of_sequences({"SequenceConstruct", 11, sequence_construct, values}),
      of_sequences({"SequenceEmpty", 11, sequence_empty, values}),
      of_sequences({"SequenceErase", 11, sequence_erase, values, places}),
      of_sequences({"SequenceInsert", 11, sequence_insert, values, places}),
      of_sequences({"SequenceLength", 11, sequence_length, values}),
      of_sequences(
          {"SplitToSequence", 11, split_to_sequence, "PrimitiveSlice", "sizes that are not known"}),
  };
}

}  // namespace mithril::onnx
