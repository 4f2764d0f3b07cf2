#include "mithril/eval/node_sizes.hpp"

#include <algorithm>

#include "mithril/eval/node_error.hpp"

namespace mithril {
namespace {

std::optional<Dims> numbers(const Value& value) {
  const auto known = [](const Dim& dim) { return resolve(dim).is_constant(); };
  if (!value.ranked || !std::all_of(value.dims.begin(), value.dims.end(), known)) return {};
  Dims dims;
  for (const Dim& dim : value.dims) dims.push_back(resolve(dim).constant());
  return dims;
}

}  // namespace

NodeSizes::NodeSizes(const Graph& graph) : graph_(graph) {
  numbers_.set_default_dtype(graph.default_dtype());
  for (const Value& value : graph.values()) {
    numbers_.add_value({.name = {}, .dims = {}, .ranked = false, .dtype = value.dtype});
  }
}

void NodeSizes::know(ValueId id, const Dims& dims) {
  numbers_.restate(
      id, {.name = {}, .dims = {dims.begin(), dims.end()}, .dtype = graph_.value(id).dtype});
}

std::vector<std::optional<Dims>> NodeSizes::infer(const Node& node,
                                                  const std::vector<Datum>& values) const {
  Node sized{node.op, node.arguments, {}};
  for (size_t i = 0; i < values.size(); ++i) {
    if (!tensor_of(node.arguments[i])) sized.arguments[i] = values[i];
  }
  return infer_sizes(numbers_, sized, graph_, node.outputs.front());
}

std::vector<std::optional<Dims>> infer_sizes(const Graph& sized, const Node& node,
                                             const Graph& graph, ValueId made) {
  try {
    std::vector<std::optional<Dims>> sizes;
    for (const Value& value : infer_node(sized, node)) sizes.push_back(numbers(value));
    return sizes;
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    details.path.clear();  // the node has no place in a model, the value has
    raise_at(graph, *node.op, made, Error(std::move(details)));
  }
}

}  // namespace mithril
