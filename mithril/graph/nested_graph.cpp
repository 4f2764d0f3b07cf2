#include "mithril/graph/nested_graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// Copies a graph in the order of its text, with new symbols.
class OwnSymbols {
 public:
  explicit OwnSymbols(const Graph& from) : from_(from) {}

  Graph run() {
    made_.set_default_dtype(from_.default_dtype());
    made_.reserve(from_.values().size(), from_.nodes().size());
    for (const ValueId id : from_.inputs()) values_.emplace(id, made_.add_input(value(id)));
    for (const Constant& constant : from_.constants())
      values_.emplace(constant.value,
                      made_.add_constant(from_.value(constant.value).name, constant.tensor));
    for (const Node& node : from_.nodes()) add(node);
    for (const Output& output : from_.outputs())
      made_.add_output(output.name, values_.at(output.value));
    return std::move(made_);
  }

 private:
  Dim dim(const Dim& given) { return resolve(rename(given, symbols_, *made_.facts())); }

  Value value(ValueId id) {
    Value value = from_.value(id);
    for (Dim& size : value.dims) size = dim(size);
    return value;
  }

  void add(const Node& node) {
    Node copy{node.op, {}, {}};
    for (const ValueId id : node.outputs) {
      copy.outputs.push_back(made_.add_value(value(id)));
      values_.emplace(id, copy.outputs.back());
    }
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      copy.arguments.push_back(
          id ? Argument(values_.at(*id))
             : Argument(map_dims(std::get<Datum>(argument),
                                 [&](const Dim& given) { return dim(given); })));
    }
    made_.add_node(std::move(copy));
  }

  const Graph& from_;
  Graph made_;
  Renaming symbols_;
  std::unordered_map<ValueId, ValueId> values_;
};

size_t mix(size_t hash, size_t more) { return (hash ^ more) * 0x9e3779b97f4a7c15u + (hash >> 29); }

size_t hash_of(const Node& node) {
  size_t hash = std::hash<const OpDef*>()(node.op);
  for (const Argument& argument : node.arguments) {
    const ValueId* id = tensor_of(argument);
    const Datum* datum = std::get_if<Datum>(&argument);
    if (id) hash = mix(hash, index(*id));
    if (datum && datum->kind() == kind::string) hash = mix(hash, text_hash(*datum));
  }
  return hash;
}

thread_local NestedWork work;

}  // namespace

const std::vector<std::string_view>& nested_graph_ports(const OpDef& op) {
  static const std::vector<std::string_view> none, loop{"body"}, cond{"then", "otherwise"},
      conditional_loop{"condition", "body"};
  if (op.name == "scan") return loop;
  if (op.name == "cond") return cond;
  return op.name == "while_loop" ? conditional_loop : none;
}

bool has_nested_graphs(const Node& node) { return !nested_graph_ports(*node.op).empty(); }

NestedWork& nested_work() { return work; }

NestedGraph::NestedGraph(Graph graph) : graph_(std::move(graph)) {}
NestedGraph::NestedGraph(std::string text) : text_(std::move(text)) {}

const std::string& NestedGraph::text() const {
  std::call_once(text_once_, [&] {
    if (text_) return;
    ++work.texts;
    text_ = to_string(*graph_);
  });
  return *text_;
}

const Graph& NestedGraph::graph() const {
  std::call_once(graph_once_, [&] {
    if (graph_) return;
    ++work.texts;
    graph_ = parse_graph(*text_);
  });
  return *graph_;
}

Graph NestedGraph::copy() const {
  ++work.copies;
  return OwnSymbols(graph()).run();
}

bool NestedGraph::is_same(const TextSource& other) const {
  const auto* nested = dynamic_cast<const NestedGraph*>(&other);
  if (!nested) return text() == other.text();
  return hash() == nested->hash() && graph() == nested->graph();
}

// Ignores symbols, dims and constants: equal graphs may name symbols differently.
size_t NestedGraph::hash() const {
  std::call_once(hash_once_, [&] {
    size_t hash = graph().values().size();
    for (const Node& node : graph().nodes()) hash = mix(hash, hash_of(node));
    for (const Output& output : graph().outputs())
      hash = mix(mix(hash, index(output.value)), std::hash<std::string>()(output.name));
    hash_ = hash;
  });
  return hash_;
}

bool NestedGraph::has_expandable() const {
  std::call_once(expandable_once_, [&] {
    const std::vector<Node>& nodes = graph().nodes();
    expandable_ = std::any_of(nodes.begin(), nodes.end(), is_expandable);
  });
  return expandable_;
}

const NestedGraph::Result& NestedGraph::cached(Analysis analysis,
                                               Result (*analyse)(const Graph&)) const {
  const auto at = static_cast<size_t>(analysis);
  std::call_once(analysed_once_[at], [&] { results_[at] = analyse(graph()); });
  return results_[at];
}

Datum nested_datum(const Graph& graph) {
  ++work.copies;
  return text_datum(std::make_shared<const NestedGraph>(OwnSymbols(graph).run()));
}

std::shared_ptr<const NestedGraph> nested_graph(const Datum& datum) {
  auto nested = std::dynamic_pointer_cast<const NestedGraph>(text_source(datum));
  return nested ? nested : std::make_shared<const NestedGraph>(datum.text());
}

std::shared_ptr<const NestedGraph> nested_graph(const Node& node, std::string_view port) {
  return nested_graph(std::get<Datum>(node.arguments[node.argument_index(port)]));
}

void keep_nested_graphs(Node& node) {
  for (const std::string_view port : nested_graph_ports(*node.op)) {
    Datum* datum = std::get_if<Datum>(&node.arguments[node.argument_index(port)]);
    if (datum && datum->kind() == kind::string) *datum = text_datum(nested_graph(*datum));
  }
}

bool is_expandable(const Node& node) {
  const std::vector<std::string_view>& ports = nested_graph_ports(*node.op);
  if (ports.empty()) return node.op->expand != nullptr;
  return std::any_of(ports.begin(), ports.end(), [&](std::string_view port) {
    return nested_graph(node, port)->has_expandable();
  });
}

}  // namespace mithril
