#include "mithril/passes/placements/linear_ports.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/placements/argument_ports.hpp"

namespace mithril {
namespace {

// Whether the port is one of the words.
bool lists_port(std::string_view words, std::string_view port) {
  while (!words.empty()) {
    const size_t space = words.find(' ');
    if (words.substr(0, space) == port) return true;
    words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
  }
  return false;
}

bool adds_nothing(const Datum& datum) {
  return datum.is_none() ||
         ((datum.kind() & kind::number) && !is_symbolic(datum) && datum.real() == 0);
}

// Terms are rounded in this dtype, and not to less than their own.
bool holds_terms(DType from, DType to) {
  if (from == to) return to != DType::boolean;
  return is_floating(to) && (is_integer(from) || size_of(to) > size_of(from));
}

std::span<const std::string> linear_groups(const OpDef& op) {
  if (op.keeps_elements) return {&op.inputs.front().name, 1};
  return op.linear;
}

}  // namespace

std::optional<std::vector<size_t>> linear_together(const Graph& graph, const Node& node,
                                                   const std::vector<bool>& partial) {
  const ArgumentPorts ports(node);
  for (const std::string& group : linear_groups(*node.op)) {
    bool fits = true;
    std::vector<size_t> mixed;
    for (size_t i = 0; i < node.arguments.size() && fits; ++i) {
      const bool inside = lists_port(group, ports[i].name);
      const ValueId* id = tensor_of(node.arguments[i]);
      if (partial[i]) {
        fits =
            inside && holds_terms(graph.value(*id).dtype, graph.value(node.outputs.front()).dtype);
      } else if (inside && id) {
        mixed.push_back(i);
      } else if (inside) {
        fits = adds_nothing(std::get<Datum>(node.arguments[i]));
      }
    }
    if (fits) return mixed;
  }
  return std::nullopt;
}

PartialWanted::PartialWanted(const Graph& graph, const PlacementOptions& options)
    : wanted_(graph.values().size(), true), inputs_(graph.values().size()) {
  for (size_t i = 0; i < graph.inputs().size() && i < options.partial_inputs.size(); ++i)
    inputs_[index(graph.inputs()[i])] = options.partial_inputs[i];
  std::vector<bool> is_read(graph.values().size());
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const size_t at = index(graph.outputs()[i].value);
    const bool stays = i < options.partial_outputs.size() && options.partial_outputs[i];
    wanted_[at] = wanted_[at] && stays;
    is_read[at] = true;
  }
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    bool of_outputs = true;
    for (const ValueId id : node.outputs)
      of_outputs = of_outputs && is_read[index(id)] && wanted_[index(id)];
    const bool wants = of_outputs || of_node(node);
    const ArgumentPorts ports(node);
    const std::span<const std::string> groups = linear_groups(*node.op);
    for (size_t k = 0; k < node.arguments.size(); ++k) {
      const ValueId* id = tensor_of(node.arguments[k]);
      if (!id || !reads_elements(ports[k])) continue;
      const bool linear =
          wants && std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
            return lists_port(group, ports[k].name);
          });
      wanted_[index(*id)] = wanted_[index(*id)] && linear;
      is_read[index(*id)] = true;
    }
  }
  for (size_t i = 0; i < wanted_.size(); ++i) wanted_[i] = wanted_[i] && is_read[i];
}

void PartialWanted::add_sums(const Graph& graph, const std::vector<Placement>& placements) {
  std::vector<int> readers(graph.values().size());
  for (const Output& output : graph.outputs()) ++readers[index(output.value)];
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) ++readers[index(*id)];
    }
  }
  std::vector<ValueId> terms;
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    const bool has_terms =
        std::any_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
          const ValueId* id = tensor_of(argument);
          return id && placements[index(*id)].is_partial();
        });
    if (!has_terms && !of_node(node)) continue;
    const ArgumentPorts ports(node);
    for (const std::string& group : linear_groups(*node.op)) {
      terms.clear();
      for (size_t k = 0; k < node.arguments.size(); ++k) {
        const ValueId* id = tensor_of(node.arguments[k]);
        if (id && lists_port(group, ports[k].name)) terms.push_back(*id);
      }
      for (const ValueId id : terms) {
        const bool joins = std::any_of(terms.begin(), terms.end(), [&](ValueId other) {
          return other != id && placements[index(other)].is_partial();
        });
        if (readers[index(id)] == 1 && (joins || of_node(node))) wanted_[index(id)] = true;
      }
    }
  }
}

bool PartialWanted::of_node(const Node& node) const {
  const bool made = std::all_of(node.outputs.begin(), node.outputs.end(),
                                [&](ValueId id) { return wanted_[index(id)]; });
  const bool reads =
      std::any_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
        const ValueId* id = tensor_of(argument);
        return id && inputs_[index(*id)];
      });
  return made || reads;
}

}  // namespace mithril
