#include "mithril/graph/nested_batching.hpp"

#include <unordered_map>
#include <utility>

#include "mithril/graph/dependence.hpp"
#include "mithril/graph/nested_graphs.hpp"

namespace mithril {
namespace {

// The size of the new axis in a nested graph, which has symbols of its own.
Dim size_inside(const Graph& graph, const Dim& size) {
  const Dim known = resolve(size);
  if (known.is_constant()) return known;
  return Dim(graph.facts()->symbol("rows"));
}

// The row that each index reads: its own if it is chosen, otherwise the row of the first chosen
// index. A sum finds that index, because argmax refuses an empty axis.
Expression chosen_indices(const Expression& chosen, const Dim& size) {
  const Expression all = call_in(chosen, "arange", {Datum(size)});
  const Datum ints(all.dtype());
  const Expression so_far = call("cumsum", {call("cast", {chosen, ints}), 0});
  const Expression first = call("sum", {call("cast", {call("equal", {so_far, 0}), ints})});
  return call("where", {chosen, all, first});
}

}  // namespace

BatchedGraph::BatchedGraph(const Graph& graph, const Dim& size, const std::vector<bool>& batched,
                           BatchedIndices indices)
    : nested_(graph),
      prefix_(free_prefix(graph, "rows.")),
      size_(size_inside(graph, size)),
      joint_(graph),
      inputs_(graph.inputs()) {
  std::vector<ValueId> seeds = inputs_;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (batched[i]) seeds[i] = inputs_[i] = add_batched_input(nested_.inputs()[i]);
  }
  if (indices == BatchedIndices::chosen) {
    inputs_.push_back(
        joint_.add_input({.name = prefix_ + "chosen", .dims = {size_}, .dtype = DType::boolean}));
    const Expression at = chosen_indices(expression(inputs_.back()), size_);
    for (size_t i = 0; i < seeds.size(); ++i) {
      if (batched[i]) seeds[i] = call("gather", {expression(seeds[i]), at, 0}).id;
    }
  }
  Batching batching(joint_, prefix_, size_);
  for (size_t i = 0; i < seeds.size(); ++i) {
    if (batched[i]) batching.seed(nested_.inputs()[i], seeds[i]);
  }
  std::vector<ValueId> wanted;
  for (const Output& output : nested_.outputs()) wanted.push_back(output.value);
  batching.run(wanted);
  for (const ValueId id : wanted) {
    const auto& made = batching.batched(id);
    results_.push_back({made ? *made : batching.shared(id), made.has_value()});
  }
}

ValueId BatchedGraph::add_batched_input(ValueId id) {
  Value value = nested_.value(id);
  value.name = prefix_ + value.name;
  value.dims.insert(value.dims.begin(), size_);
  return joint_.add_input(std::move(value));
}

void BatchedGraph::repeat(size_t output) {
  Result& result = results_[output];
  if (result.batched) return;
  std::vector<Dim> dims = joint_.value(result.value).dims;
  dims.insert(dims.begin(), size_);
  result = {call("broadcast_to", {expression(result.value), Datum::dims(dims)}).id, true};
}

void BatchedGraph::become_any(size_t output) {
  results_[output] = {any_of(expression(results_[output].value)).id, false};
}

Graph BatchedGraph::graph() const {
  Graph graph;
  graph.share_facts(joint_);
  graph.set_default_dtype(joint_.default_dtype());
  std::unordered_map<ValueId, ValueId> mapped;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Value value = joint_.value(inputs_[i]);
    if (i < nested_.inputs().size()) value.name = nested_.value(nested_.inputs()[i]).name;
    mapped.emplace(inputs_[i], graph.add_input(std::move(value)));
  }
  for (const Constant& constant : joint_.constants())
    mapped.emplace(constant.value,
                   graph.add_constant(joint_.value(constant.value).name, constant.tensor));
  const std::vector<bool> needed = needed_nodes();
  for (size_t n = 0; n < needed.size(); ++n) {
    if (needed[n]) copy_node(joint_, joint_.nodes()[n], graph, mapped);
  }
  for (size_t k = 0; k < results_.size(); ++k)
    graph.add_output(nested_.outputs()[k].name, mapped.at(results_[k].value));
  graph.drop_unread();
  return graph;
}

std::vector<bool> BatchedGraph::needed_nodes() const {
  std::vector<bool> values(joint_.values().size()), nodes(joint_.nodes().size());
  for (const Result& result : results_) values[index(result.value)] = true;
  for (size_t n = nodes.size(); n-- > 0;) {
    const Node& node = joint_.nodes()[n];
    for (const ValueId id : node.outputs) nodes[n] = nodes[n] || values[index(id)];
    if (!nodes[n]) continue;
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) values[index(*id)] = true;
    }
  }
  return nodes;
}

namespace {

// Gives the axis to the next values of batched carries. False: another carry is batched, too.
bool repeat_carries(BatchedGraph& step, size_t carries, std::vector<bool>& batched) {
  bool complete = true;
  for (size_t k = 0; k < carries; ++k) {
    if (batched[k]) {
      step.repeat(k);
    } else if (step.is_batched(k)) {
      batched[k] = true;
      complete = false;
    }
  }
  return complete;
}

}  // namespace

// The carries that have the axis follow from what the body reads, unless an op only reads the sizes
// of what is batched. Then the body is batched several times, and so are loops in it each time.
BatchedGraph batched_step(const Graph& body, size_t carries, const Dim& size,
                          std::vector<bool>& batched) {
  std::vector<bool> expected = batched;
  add_changed_carries(dependence(body), carries, expected);
  BatchedGraph step(body, size, expected);
  bool exact = true;
  for (size_t k = 0; k < carries; ++k)
    exact = exact && (batched[k] || step.is_batched(k) == expected[k]);
  if (exact) {
    batched = expected;
  } else {
    step = BatchedGraph(body, size, batched);
  }
  while (!repeat_carries(step, carries, batched)) step = BatchedGraph(body, size, batched);
  return step;
}

Expression any_of(const Expression& bools) {
  const Expression count = call("sum", {call("cast", {bools, Datum(DType::int32)})});
  return call("greater", {count, 0});
}

}  // namespace mithril
