#include "mithril/graph/dependence.hpp"

#include <algorithm>
#include <utility>

#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

void add_all(std::vector<bool>& to, const std::vector<bool>& from) {
  for (size_t i = 0; i < from.size(); ++i) to[i] = to[i] || from[i];
}

bool passes(const Value& value, Through through) {
  return through != Through::floats || is_floating(value.dtype);
}

// The results of a loop: those of one step, and what the carries that they read were made of.
Dependence through_steps(Dependence step, size_t carries) {
  for (bool more = true; more;) {
    more = false;
    for (size_t k = 0; k < step.size(); ++k) {
      const std::vector<bool> before = step[k];
      for (size_t i = 0; i < carries; ++i) {
        if (before[i]) add_all(step[k], step[i]);
      }
      more = more || step[k] != before;
    }
  }
  // Without a step a carry is its first value.
  for (size_t i = 0; i < carries; ++i) step[i][i] = true;
  return step;
}

// On the arguments that are the inputs of the nested graphs.
Dependence of_nested(const Node& node, Through through) {
  const auto inside = [&](std::string_view port) {
    return dependence(*nested_graph(node, port), through);
  };
  if (is_scan(node)) return through_steps(inside("body"), carries_of_scan(node));
  if (is_cond(node)) {
    Dependence either = inside("then");
    const Dependence other = inside("otherwise");
    for (size_t k = 0; k < either.size(); ++k) add_all(either[k], other[k]);
    return either;
  }
  Dependence step = inside("body");
  const size_t carries = step.size();
  // The condition says how many steps there are.
  if (through != Through::floats) {
    const std::vector<bool> goes_on = inside("condition").front();
    for (std::vector<bool>& carry : step) add_all(carry, goes_on);
  }
  return through_steps(std::move(step), carries);
}

}  // namespace

std::vector<bool> read_for_sizes(const Node& node) {
  std::vector<bool> sizes(node.arguments.size());
  for (const PortDef& port : node.op->inputs) {
    if (port.name != "like") continue;
    const size_t first = node.argument_index(port.name);
    std::fill_n(sizes.begin() + static_cast<std::ptrdiff_t>(first),
                port.list ? node.list_size() : 1, true);
  }
  return sizes;
}

Dependence dependence(const Graph& graph, const Node& node, Through through) {
  const size_t count = node.arguments.size();
  if (!has_nested_graphs(node)) {
    std::vector<bool> read(count, true);
    if (through == Through::contents) {
      read = read_for_sizes(node);
      read.flip();
    }
    return Dependence(node.outputs.size(), read);
  }
  const size_t first = node.argument_index("arguments");
  Dependence made;
  for (const std::vector<bool>& inner : of_nested(node, through)) {
    std::vector<bool>& outer = made.emplace_back(count);
    std::copy(inner.begin(), inner.end(), outer.begin() + static_cast<std::ptrdiff_t>(first));
    if (!is_cond(node)) continue;
    const size_t condition = node.argument_index("condition");
    if (passes(graph.value(*tensor_of(node.arguments[condition])), through))
      outer[condition] = true;
  }
  return made;
}

Dependence dependence(const Graph& graph, Through through) {
  const size_t inputs = graph.inputs().size();
  std::vector<std::vector<bool>> values(graph.values().size(), std::vector<bool>(inputs));
  for (size_t i = 0; i < inputs; ++i) {
    const ValueId input = graph.inputs()[i];
    values[index(input)][i] = passes(graph.value(input), through);
  }
  const auto add = [&](const Node& node, size_t output, const std::vector<bool>& arguments) {
    if (!passes(graph.value(node.outputs[output]), through)) return;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const ValueId* read = tensor_of(node.arguments[i]);
      if (read && arguments[i]) add_all(values[index(node.outputs[output])], values[index(*read)]);
    }
  };
  for (const Node& node : graph.nodes()) {
    const Dependence made = dependence(graph, node, through);
    for (size_t k = 0; k < made.size(); ++k) add(node, k, made[k]);
  }
  Dependence outputs;
  for (const Output& output : graph.outputs()) outputs.push_back(values[index(output.value)]);
  return outputs;
}

Dependence dependence(const NestedGraph& graph, Through through) {
  const auto through_all = [](const Graph& of) { return dependence(of, Through::all_values); };
  const auto through_floats = [](const Graph& of) { return dependence(of, Through::floats); };
  if (through == Through::contents) return dependence(graph.graph(), through);
  using enum NestedGraph::Analysis;
  return through == Through::floats ? graph.cached(dependence_on_floats, through_floats)
                                    : graph.cached(dependence_on_values, through_all);
}

bool depends_on(const std::vector<bool>& arguments, const std::vector<bool>& some) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] && some[i]) return true;
  }
  return false;
}

void add_changed_carries(const Dependence& step, size_t carries, std::vector<bool>& inputs) {
  for (bool more = true; more;) {
    more = false;
    for (size_t k = 0; k < carries; ++k) {
      if (inputs[k] || !depends_on(step[k], inputs)) continue;
      inputs[k] = more = true;
    }
  }
}

void add_read_carries(const Dependence& step, size_t carries, std::vector<bool>& outputs) {
  for (bool more = true; more;) {
    more = false;
    for (size_t k = 0; k < step.size(); ++k) {
      for (size_t i = 0; outputs[k] && i < carries; ++i) {
        if (outputs[i] || !step[k][i]) continue;
        outputs[i] = more = true;
      }
    }
  }
}

void add_reached_carries(const Graph& step, const std::vector<ValueId>& incoming,
                         const std::vector<ValueId>& results, std::vector<bool>& marked) {
  Graph gradient = step;
  gradient.keep_outputs(0);
  for (const ValueId id : results) gradient.add_output(step.value(id).name, id);
  Dependence on_incoming;
  for (const std::vector<bool>& on_inputs : dependence(gradient)) {
    std::vector<bool>& row = on_incoming.emplace_back();
    for (const ValueId id : incoming) {
      const auto at = std::find(step.inputs().begin(), step.inputs().end(), id);
      row.push_back(on_inputs[static_cast<size_t>(at - step.inputs().begin())]);
    }
  }
  add_changed_carries(on_incoming, results.size(), marked);
}

}  // namespace mithril
