#include "mithril/grad/differentiate.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/reverse_mode.hpp"
#include "mithril/graph/while_node.hpp"

namespace mithril {
namespace {

std::vector<ValueId> find_wanted(const Graph& graph, const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, ValueId> inputs;
  inputs.reserve(graph.inputs().size());
  for (const ValueId id : graph.inputs()) inputs.emplace(graph.value(id).name, id);
  std::vector<ValueId> wanted;
  for (const std::string& name : names) {
    const auto at = inputs.find(name);
    wanted.push_back(at != inputs.end() ? at->second : graph.id_of(name));
  }
  return wanted;
}

ValueId add_incoming_gradient(Graph& graph, const std::string& name, ValueId of) {
  Value value = graph.value(of);
  require_float(value, "output '" + name + "'");
  value.name = name + ".grad";
  return graph.add_input(std::move(value));
}

ValueId output_named(const Graph& graph, const std::string& name) {
  const Output* output = nullptr;
  for (const Output& candidate : graph.outputs()) {
    if (candidate.name == name) output = &candidate;
  }
  MITHRIL_CHECK(output, "the graph has no output '" + name + "'");
  return output->value;
}

// Adds the gradients with respect to the wanted values.
ReverseMode add_gradients(Graph& graph, const DifferentiateOptions& options,
                          const std::vector<ValueId>& wanted) {
  ReverseMode reverse(graph, free_prefix(graph, "grad."), wanted);
  for (const std::string& name : options.outputs) {
    const ValueId of = output_named(graph, name);
    reverse.seed(of, add_incoming_gradient(graph, name, of));
  }
  reverse.run();
  return reverse;
}

}  // namespace

Graph differentiate(Graph graph, const DifferentiateOptions& options) {
  const std::vector<ValueId> wanted = find_wanted(graph, options.wanted);
  ReverseMode reverse = add_gradients(graph, options, wanted);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string& name = options.wanted[i];
    graph.add_output(name + ".grad", reverse.gradient_or_zeros(wanted[i], name));
  }
  return without_while_gradients(std::move(graph));
}

std::vector<bool> have_gradients(const Graph& graph, const DifferentiateOptions& options) {
  Graph copy = graph;
  const std::vector<ValueId> wanted = find_wanted(copy, options.wanted);
  const ReverseMode reverse = add_gradients(copy, options, wanted);
  std::vector<bool> reached;
  for (const ValueId id : wanted) reached.push_back(reverse.gradient(id).has_value());
  return reached;
}

}  // namespace mithril
