#include "mithril/passes/placements/node_numbers.hpp"

#include <algorithm>
#include <utility>

#include "mithril/eval/node_sizes.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/op/sample_context.hpp"
#include "mithril/passes/datum_hash.hpp"
#include "mithril/passes/hash_index.hpp"

namespace mithril {
namespace {

// Per argument of the node.
std::vector<bool> reads_of(const Node& node, const ArgumentPorts& ports) {
  std::vector<bool> reads;
  reads.reserve(node.arguments.size());
  for (size_t i = 0; i < node.arguments.size(); ++i)
    reads.push_back(tensor_of(node.arguments[i]) && reads_elements(ports[i]));
  return reads;
}

}  // namespace

GraphNumbers::GraphNumbers(const Graph& graph, const Plan& plan) : dims_(graph.values().size()) {
  const std::vector<const Dims*> planned = plan.dims_of_values(graph);
  for (size_t i = 0; i < planned.size(); ++i)
    dims_[i] = planned[i] ? &shapes_.emplace_back(*planned[i]) : nullptr;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    const ArgumentPorts ports(node);
    NodeNumbers& numbers = numbers_.emplace_back(NodeNumbers{.ports = ports,
                                                             .kind = i,
                                                             .nested = has_nested_graphs(node),
                                                             .reads = reads_of(node, ports),
                                                             .values = plan.nodes[i].values});
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
        known_nodes_(graph.nodes().size()) {
    sized_.set_default_dtype(graph.default_dtype());
  }

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
    dims_.clear();
    size_t hash = value.dims.size();
    for (const Dim& dim : value.dims) {
      const std::optional<int64_t> size = number(dim);
      if (!size || *size < 0) return false;
      dims_.push_back(*size);
      hash = mix_hash(hash, static_cast<size_t>(*size));
    }
    const size_t next = found_.shapes_.size();
    const auto equal = [&](size_t other) { return found_.shapes_[other] == dims_; };
    const size_t shape = shapes_.find_or_add(mix_hash(hash, 0), next, equal).value_or(next);
    if (shape == next) found_.shapes_.push_back(dims_);
    shape_of_.push_back(shape);
    found_.dims_.push_back(&found_.shapes_[shape]);
    return true;
  }

  // Writes the datum with numbers. False: a size is not known.
  bool write_numbers(const Datum& datum) {
    bool known = true;
    written_.push_back(map_dims(datum, [&](const Dim& dim) {
      const std::optional<int64_t> size = number(dim);
      known = known && size;
      return size ? Dim(*size) : dim;
    }));
    return known;
  }

  bool add_node(const Node& node) {
    values_.clear();
    written_.clear();
    written_.reserve(node.arguments.size());  // values_ points into it
    size_t hash = std::hash<const OpDef*>()(node.op);
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) {
        values_.push_back(nullptr);
        hash = mix_hash(hash, type_of(*id));
        continue;
      }
      const Datum& datum = std::get<Datum>(argument);
      if (is_symbolic(datum) && !write_numbers(datum)) return false;
      values_.push_back(is_symbolic(datum) ? &written_.back() : &datum);
      hash = mix_hash(hash, hash_of(*values_.back()));
    }
    for (const ValueId id : node.outputs) hash = mix_hash(hash, type_of(id));
    const size_t next = found_.numbers_.size();
    const auto known = known_nodes_.find_or_add(mix_hash(hash, 0), next, [&](size_t other) {
      return is_equal(*first_[other], found_.numbers_[other], node);
    });
    if (!known) {
      const ArgumentPorts ports(node);
      NodeNumbers& numbers =
          found_.numbers_.emplace_back(NodeNumbers{.ports = ports,
                                                   .kind = next,
                                                   .nested = has_nested_graphs(node),
                                                   .reads = reads_of(node, ports),
                                                   .values = {}});
      numbers.values.reserve(values_.size());
      for (const Datum* value : values_) numbers.values.push_back(value ? *value : Datum());
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

  // `node`: the one that values_ belongs to.
  bool is_equal(const Node& first, const NodeNumbers& numbers, const Node& node) const {
    const auto equal_types = [&](ValueId a, ValueId b) { return type_of(a) == type_of(b); };
    if (first.op != node.op || first.arguments.size() != node.arguments.size() ||
        !std::equal(first.outputs.begin(), first.outputs.end(), node.outputs.begin(),
                    node.outputs.end(), equal_types))
      return false;
    for (size_t i = 0; i < values_.size(); ++i) {
      const ValueId *a = tensor_of(first.arguments[i]), *b = tensor_of(node.arguments[i]);
      const bool equal =
          a || b ? a && b && equal_types(*a, *b) : identical(numbers.values[i], *values_[i]);
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

  // Whether the node works on each element by itself, and all tensors have the same dims.
  static bool keeps_dims(const Node& node, const NodeNumbers& numbers) {
    const Dims& dims = numbers.output_dims.front();
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const Dims& given = numbers.argument_dims[i];
      if (tensor_of(node.arguments[i]) && !given.empty() && given != dims) return false;
    }
    return is_elementwise(*node.op) && node.outputs.size() == 1 &&
           std::any_of(numbers.argument_dims.begin(), numbers.argument_dims.end(),
                       [&](const Dims& given) { return given == dims; });
  }

  // Whether the op makes the dims that are stated.
  bool is_consistent(const Node& node, const NodeNumbers& numbers) {
    if (keeps_dims(node, numbers)) return true;
    Node sized{node.op, {}, {}};
    sized.arguments.reserve(node.arguments.size());
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      if (!id) {
        sized.arguments.emplace_back(numbers.values[i]);
        continue;
      }
      const Dims& dims = numbers.argument_dims[i];
      sized.arguments.emplace_back(sized_.add_value(
          {.name = {}, .dims = {dims.begin(), dims.end()}, .dtype = graph_.value(*id).dtype}));
    }
    const auto made = infer_sizes(sized_, sized, graph_, node.outputs.front());
    return std::equal(made.begin(), made.end(), numbers.output_dims.begin(),
                      [](const std::optional<Dims>& a, const Dims& b) { return !a || *a == b; });
  }

  const Graph& graph_;
  Sizes sizes_;
  HashIndex shapes_, known_nodes_;
  std::vector<size_t> shape_of_;    // per value: an index of found_.shapes_
  std::vector<const Node*> first_;  // per element of found_.numbers_
  Graph sized_;                     // arguments of nodes of each kind
  // Of the value and the node at hand.
  Dims dims_;
  std::vector<const Datum*> values_;  // with numbers, per argument; null if it is a tensor
  std::vector<Datum> written_;
  GraphNumbers found_;
};

std::optional<GraphNumbers> GraphNumbers::of_symbols(const Graph& graph, Sizes sizes) {
  return Search(graph, std::move(sizes)).run();
}

}  // namespace mithril
