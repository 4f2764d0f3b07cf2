#include "mithril/graph/nested_graphs.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/observer.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

thread_local std::vector<int64_t> steps_of_thread;
thread_local const Observer* observer_of_thread = nullptr;

}  // namespace

std::vector<Graph> nested_graphs(const Node& node) {
  std::vector<Graph> graphs;
  for (const std::string_view port : nested_graph_ports(*node.op))
    graphs.push_back(nested_graph(node, port)->copy());
  return graphs;
}

Datum results_of_nested(const std::vector<Value>& outputs) {
  Tuple results;
  for (const Value& value : outputs)
    results.emplace_back(Tuple{Datum(value.dtype), Datum::dims(value.dims)});
  return Datum(std::move(results));
}

std::vector<Value> nested_results(const Node& node) {
  std::vector<Value> values;
  const Datum& results = std::get<Datum>(node.arguments[node.argument_index("results")]);
  for (const Datum& result : results.tuple()) {
    Value value{.name = {}, .dims = {}, .dtype = result.tuple()[0].dtype()};
    for (const Datum& dim : result.tuple()[1].tuple()) value.dims.push_back(dim.dim());
    values.push_back(std::move(value));
  }
  return values;
}

void copy_node(const Graph& from, const Node& node, Graph& to,
               std::unordered_map<ValueId, ValueId>& mapped) {
  Node copy{node.op, node.arguments, {}};
  for (Argument& argument : copy.arguments) {
    if (ValueId* id = std::get_if<ValueId>(&argument)) *id = mapped.at(*id);
  }
  for (const ValueId id : node.outputs) {
    copy.outputs.push_back(to.add_value(from.value(id)));
    mapped.insert_or_assign(id, copy.outputs.back());
  }
  to.add_node(std::move(copy));
}

std::string free_prefix(const Graph& graph, const std::string& prefix) {
  std::string free = prefix;
  const auto taken = [&](const Value& value) { return value.name.starts_with(free); };
  while (std::any_of(graph.values().begin(), graph.values().end(), taken)) free += prefix;
  return free;
}

bool observes(const Observer& observer, const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    if (observer.wants(node)) return true;
    const std::vector<std::string_view>& ports = nested_graph_ports(*node.op);
    return std::any_of(ports.begin(), ports.end(), [&](std::string_view port) {
      return observes(observer, nested_graph(node, port)->graph());
    });
  });
}

StepScope::StepScope(const Datum& numbers) : outer_steps_(steps_of_thread.size()) {
  if (!numbers.is_none()) {
    first_ = numbers.tuple()[0].integer();
    stride_ = numbers.tuple()[1].integer();
    added_ = numbers.tuple()[2].flag();
  }
  if (!added_) steps_of_thread.push_back(0);
  before_ = steps_of_thread.back();
}
StepScope::~StepScope() {
  steps_of_thread.back() = before_;
  steps_of_thread.resize(outer_steps_);
}
void StepScope::set(int64_t step) { steps_of_thread.back() = before_ + first_ + step * stride_; }

std::span<const int64_t> running_steps() { return steps_of_thread; }

ObserverScope::ObserverScope(const Observer* observer) : outer_(observer_of_thread) {
  observer_of_thread = observer;
}
ObserverScope::~ObserverScope() { observer_of_thread = outer_; }

const Observer* running_observer() { return observer_of_thread; }

void check_stated_dims(std::string_view op, const std::string& name, const Dims& stated,
                       const Dims& made) {
  if (made == stated) return;
  raise(
      {.kind = ErrorKind::shape,
       .code = "E0210",
       .path = name,
       .message = std::string(op) + ": with these sizes '" + name + "' has other dims than stated",
       .facts = {{"stated", to_string(stated), ""}, {"made", to_string(made), ""}}});
}

}  // namespace mithril
