// Ops that move elements, where these are sizes.
#include <algorithm>
#include <string_view>

#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/fold.hpp"
#include "mithril/onnx/sizes.hpp"

namespace mithril::onnx {
namespace {

constexpr std::int64_t most_moved = 4096;  // sizes

// The inputs whose elements the op moves. The other ones say where to.
struct Mover {
  std::string_view op;
  std::vector<std::size_t> moved;
};

const std::vector<std::size_t>* moved_by(const NodeContext& node) {
  static const std::vector<Mover> movers = {
      {"Compress", {0}},     {"Expand", {0}},         {"Flatten", {0}},
      {"Gather", {0}},       {"GatherElements", {0}}, {"GatherND", {0}},
      {"Pad", {0, 2}},       {"Reshape", {0}},        {"ScatterElements", {0, 2}},
      {"ScatterND", {0, 2}}, {"Slice", {0}},          {"Split", {0}},
      {"Squeeze", {0}},      {"Tile", {0}},           {"Transpose", {0}},
      {"Unsqueeze", {0}},    {"Where", {1, 2}},
  };
  if (!node.node().domain.empty() || node.text("reduction", "none") != "none") return nullptr;
  const auto found = std::find_if(movers.begin(), movers.end(),
                                  [&](const Mover& mover) { return mover.op == node.node().op; });
  return found == movers.end() ? nullptr : &found->moved;
}

// Whether the input is sizes, or as many known ints.
bool can_move(const Value& value) {
  return value.sizes || (value.known && is_int(value.type) && value.known.size() <= most_moved);
}

// The sizes that an op moves. Each has a place; that of 0, which `Pad` adds, is 0.
class Places {
 public:
  // The input with places in place of its sizes.
  Value of(const NodeContext& node, std::size_t i) {
    const Value& value = node.value(i);
    std::vector<std::int64_t> places;
    for (const Size& size : node.elements(i)) {
      places.push_back(static_cast<std::int64_t>(sizes_.size()));
      sizes_.push_back(size);
    }
    const Dims& dims = value.sizes ? value.dims_of_sizes : value.known.dims();
    return {Tensor::of(dims, places), ElementType::int64};
  }

  Value at(const KnownTensor& places) const {
    std::vector<Size> found;
    for (const std::int64_t place : places->values<std::int64_t>())
      found.push_back(sizes_.at(static_cast<std::size_t>(place)));
    return Value::of_sizes(found, places.dims());
  }

 private:
  std::vector<Size> sizes_{std::int64_t{0}};
};

}  // namespace

std::optional<Outputs> moved_sizes(const OpRow& row, const NodeContext& node,
                                   const FileRecord& file, FoldRoom& room) {
  const std::vector<std::size_t>* moved = moved_by(node);
  if (!moved) return std::nullopt;
  std::vector<Value> inputs = node.values();
  bool has_sizes = false, is_negative = false;
  const ElementType type = node.type(moved->front());
  Places places;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!node.has(i)) continue;
    const bool moves = std::find(moved->begin(), moved->end(), i) != moved->end();
    if (!moves && !node.is_known(i)) return std::nullopt;
    if (!moves) continue;
    if (!can_move(node.value(i)) || node.type(i) != type) return std::nullopt;
    has_sizes |= node.value(i).sizes.has_value();
    is_negative |= node.value(i).may_be_negative;
    inputs[i] = places.of(node, i);
  }
  if (!has_sizes) return std::nullopt;
  std::optional<Outputs> outputs = fold(row, node.with_inputs(std::move(inputs)), file, room);
  if (!outputs) return std::nullopt;
  for (Value& output : *outputs) {
    if (output.known.size() > most_moved) return std::nullopt;
    output = places.at(output.known);
    output.type = type;
    output.may_be_negative = is_negative;
    if (output.known) output.known = output.known->to(*held_dtype(type));
  }
  return outputs;
}

}  // namespace mithril::onnx
