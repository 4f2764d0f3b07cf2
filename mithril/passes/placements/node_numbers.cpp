#include "mithril/passes/placements/node_numbers.hpp"

#include <algorithm>
#include <utility>

#include "mithril/eval/node_sizes.hpp"
#include "mithril/passes/datum_hash.hpp"
#include "mithril/passes/hash_index.hpp"

namespace mithril {
namespace {

Datum in_numbers(const Datum& datum, Sizes& sizes) {
  return map_dims(datum, [&](const Dim& dim) { return Dim(*evaluate(dim, sizes)); });
}

bool is_known(const Datum& datum, Sizes& sizes) {
  bool known = true;
  map_dims(datum, [&](const Dim& dim) {
    known = known && evaluate(dim, sizes);
    return dim;
  });
  return known;
}

}  // namespace

GraphNumbers::GraphNumbers(const Graph& graph, const Plan& plan) : dims_(graph.values().size()) {
  const std::vector<const Dims*> planned = plan.dims_of_values(graph);
  for (size_t i = 0; i < planned.size(); ++i)
    dims_[i] = planned[i] ? &shapes_.emplace_back(*planned[i]) : nullptr;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    NodeNumbers& numbers = numbers_.emplace_back(
        NodeNumbers{.ports = ArgumentPorts(node), .values = plan.nodes[i].values});
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      numbers.argument_dims.push_back(id ? dims(*id) : Dims{});
    }
    numbers.output_dims = plan.nodes[i].output_dims;
    nodes_.push_back(&numbers);
  }
}

class GraphNumbers::Search {
 public:
  Search(const Graph& graph, Sizes sizes)
      : graph_(graph),
        sizes_(std::move(sizes)),
        shapes_(graph.values().size()),
        known_nodes_(graph.nodes().size()),
        inference_(graph) {}

  std::optional<GraphNumbers> run() {
    shape_of_.reserve(graph_.values().size());
    found_.dims_.reserve(graph_.values().size());
    found_.nodes_.reserve(graph_.nodes().size());
    for (const Value& value : graph_.values()) {
      if (!add_value(value)) return std::nullopt;
    }
    for (const Node& node : graph_.nodes()) {
      if (!add_node(node)) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  std::optional<int64_t> number(const Dim& dim) {
    const Dim now = resolve(dim);
    if (now.is_constant()) return now.constant();
    if (now.symbol()) {
      if (const auto at = sizes_.find(now.symbol()); at != sizes_.end()) return at->second;
    }
    return evaluate(now, sizes_);
  }

  bool add_value(const Value& value) {
    if (!value.ranked) return false;
    Dims dims;
    dims.reserve(value.dims.size());
    size_t hash = value.dims.size();
    for (const Dim& dim : value.dims) {
      const std::optional<int64_t> size = number(dim);
      if (!size || *size < 0) return false;
      dims.push_back(*size);
      hash = mix_hash(hash, static_cast<size_t>(*size));
    }
    const size_t next = found_.shapes_.size();
    const auto equal = [&](size_t other) { return found_.shapes_[other] == dims; };
    const size_t shape = shapes_.find_or_add(mix_hash(hash, 0), next, equal).value_or(next);
    if (shape == next) found_.shapes_.push_back(std::move(dims));
    shape_of_.push_back(shape);
    found_.dims_.push_back(&found_.shapes_[shape]);
    return true;
  }

  bool add_node(const Node& node) {
    std::vector<Datum> values;
    values.reserve(node.arguments.size());
    size_t hash = std::hash<const OpDef*>()(node.op);
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) {
        values.emplace_back();
        hash = mix_hash(hash, type_of(*id));
        continue;
      }
      const Datum& datum = std::get<Datum>(argument);
      if (is_symbolic(datum) && !is_known(datum, sizes_)) return false;
      values.push_back(is_symbolic(datum) ? in_numbers(datum, sizes_) : datum);
      hash = mix_hash(hash, hash_of(values.back()));
    }
    for (const ValueId id : node.outputs) hash = mix_hash(hash, type_of(id));
    const size_t next = found_.numbers_.size();
    const auto known = known_nodes_.find_or_add(mix_hash(hash, 0), next, [&](size_t other) {
      return is_equal(*first_[other], found_.numbers_[other], node, values);
    });
    if (!known) {
      NodeNumbers& numbers = found_.numbers_.emplace_back(
          NodeNumbers{.ports = ArgumentPorts(node), .values = std::move(values)});
      first_.push_back(&node);
      add_dims(node, numbers);
      if (!is_consistent(node, numbers)) return false;
    }
    found_.nodes_.push_back(&found_.numbers_[known.value_or(next)]);
    return true;
  }

  size_t type_of(ValueId id) const {
    return 64 * shape_of_[index(id)] + static_cast<size_t>(graph_.value(id).dtype);
  }

  bool is_equal(const Node& first, const NodeNumbers& numbers, const Node& node,
                const std::vector<Datum>& values) const {
    const auto equal_types = [&](ValueId a, ValueId b) { return type_of(a) == type_of(b); };
    if (first.op != node.op || first.arguments.size() != node.arguments.size() ||
        !std::equal(first.outputs.begin(), first.outputs.end(), node.outputs.begin(),
                    node.outputs.end(), equal_types))
      return false;
    for (size_t i = 0; i < values.size(); ++i) {
      const ValueId *a = tensor_of(first.arguments[i]), *b = tensor_of(node.arguments[i]);
      const bool equal =
          a || b ? a && b && equal_types(*a, *b) : identical(numbers.values[i], values[i]);
      if (!equal) return false;
    }
    return true;
  }

  void add_dims(const Node& node, NodeNumbers& numbers) const {
    numbers.argument_dims.reserve(node.arguments.size());
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      numbers.argument_dims.push_back(id ? found_.dims(*id) : Dims{});
    }
    for (const ValueId id : node.outputs) numbers.output_dims.push_back(found_.dims(id));
  }

  // Whether the op makes the dims that are stated.
  bool is_consistent(const Node& node, const NodeNumbers& numbers) {
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) inference_.know(*id, found_.dims(*id));
    }
    const std::vector<std::optional<Dims>> made = inference_.infer(node, numbers.values);
    return std::equal(made.begin(), made.end(), numbers.output_dims.begin(),
                      [](const std::optional<Dims>& a, const Dims& b) { return !a || *a == b; });
  }

  const Graph& graph_;
  Sizes sizes_;
  HashIndex shapes_, known_nodes_;
  std::vector<size_t> shape_of_;    // per value: an index of found_.shapes_
  std::vector<const Node*> first_;  // per element of found_.numbers_
  NodeSizes inference_;
  GraphNumbers found_;
};

std::optional<GraphNumbers> GraphNumbers::of_symbols(const Graph& graph, Sizes sizes) {
  return Search(graph, std::move(sizes)).run();
}

}  // namespace mithril
