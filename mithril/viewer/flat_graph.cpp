#include "mithril/viewer/flat_graph.hpp"

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "mithril/base/printable.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/infer/distinct_names.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

constexpr const char* gradient_group = "gradient";
constexpr std::string_view gradient_prefix = "grad.";  // of the values that reverse mode makes
constexpr std::size_t longest_argument = 200;

std::string shortened(std::string text) {
  if (text.size() <= longest_argument) return text;
  text.resize(utf8_bytes(std::string_view(text).substr(0, longest_argument)));
  return text + "...";
}

class GraphView {
 public:
  GraphView(const Graph& graph, const PartPlaces& places, const InputRoles& roles,
            const Graph* forward)
      : graph_(graph), places_(places), roles_(roles) {
    view_.groups = places.groups();
    if (forward) {
      for (const Value& value : forward->values()) forward_.insert(value.name);
      has_gradients_ = true;
    }
    for (const Value& value : graph.values()) add_value(value);
    for (const Constant& constant : graph.constants()) constants_.insert(index(constant.value));
    for (const ValueId id : graph.inputs()) add_input(id);
    count_nodes_of_parts();
    for (const Node& node : graph.nodes()) add_node(node);
    for (const Output& output : graph.outputs()) add_output(output);
  }

  ViewGraph take() { return std::move(view_); }

 private:
  using Group = std::optional<std::size_t>;

  void add_value(const Value& value) {
    std::string shape = "[...]";
    if (value.ranked) {
      std::vector<Dim> named;
      for (const Dim& dim : value.dims) named.push_back(names_.copy(dim));
      shape = unknowns_.renumber(to_string(named));
    }
    view_.values.push_back(
        {.name = value.name, .shape = std::move(shape), .dtype = std::string(name(value.dtype))});
  }

  void add_input(ValueId id) {
    const std::string& name = graph_.value(id).name;
    if (roles_.parameters.contains(name)) {
      parameters_.insert(index(id));
      return;
    }
    view_.nodes.push_back(
        {.kind = roles_.states.contains(name) ? ViewNode::Kind::state : ViewNode::Kind::input,
         .name = name,
         .is_named = true,
         .outputs = {{"", index(id)}}});
  }

  const std::string& name_of(const Node& node) const {
    return graph_.value(node.outputs.front()).name;
  }
  bool is_gradient(const Node& node) const {
    const std::string& name = name_of(node);
    return has_gradients_ && name.starts_with(gradient_prefix) && !forward_.contains(name);
  }
  const Part* maker_of(const Node& node) const {
    const std::string& name = name_of(node);
    return places_.maker_of(is_gradient(node) ? name.substr(gradient_prefix.size()) : name);
  }

  void count_nodes_of_parts() {
    for (const Node& node : graph_.nodes()) {
      if (const Part* part = maker_of(node)) ++counts_[{part, is_gradient(node)}];
    }
  }

  void add_node(const Node& node) {
    const std::string& value = name_of(node);
    const Part* part = maker_of(node);
    const bool backwards = is_gradient(node);
    ViewNode shown{.name = value, .class_name = node.op->name};
    if (part) {
      shown.group = group_of_part(part, backwards);
      const bool is_alone = part->op && counts_.at({part, backwards}) == 1;
      // In the group of a part, the last component of a name says enough: "matmul_15".
      shown.name = is_alone ? part->owner->name_of(*part) : value.substr(value.rfind('.') + 1);
      shown.is_named = is_alone && !part->given_name().empty();
      shown.source = source_text(*part);
    } else if (backwards) {
      shown.group = group_backwards(std::nullopt);
    }
    for (std::size_t port = 0, at = 0; port < node.op->inputs.size(); ++port) {
      const bool is_list = node.op->inputs[port].list;
      const std::size_t count = is_list ? node.list_size() : 1;
      for (std::size_t item = 0; item < count && at < node.arguments.size(); ++item, ++at) {
        const std::string& name = node.op->inputs[port].name;
        add_argument(shown, is_list ? name + "_" + std::to_string(item) : name, node.arguments[at]);
      }
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      shown.outputs.push_back({"", index(node.outputs[i])});
    }
    view_.nodes.push_back(std::move(shown));
  }

  void add_argument(ViewNode& node, const std::string& port, const Argument& argument) {
    const ValueId* id = tensor_of(argument);
    if (!id) {
      node.arguments.emplace_back(port, shortened(to_string(std::get<Datum>(argument))));
    } else if (parameters_.contains(index(*id))) {
      node.parameters.push_back({port, graph_.value(*id).name, index(*id)});
    } else if (constants_.contains(index(*id))) {
      const ViewValue& value = view_.values[index(*id)];
      node.arguments.emplace_back(port, "constant " + value.dtype + value.shape);
    } else {
      node.inputs.push_back({port, index(*id)});
    }
  }

  void add_output(const Output& output) {
    if (parameters_.contains(index(output.value)) || constants_.contains(index(output.value)))
      return;
    view_.nodes.push_back({.kind = ViewNode::Kind::output,
                           .name = output.name,
                           .group = group_of_output(output),
                           .is_named = true,
                           .inputs = {{"", index(output.value)}}});
  }

  // The gradient of a parameter is an output in the group of its part.
  Group group_of_output(const Output& output) {
    const std::string& name = output.name;
    if (!has_gradients_ || !name.ends_with(".grad")) return std::nullopt;
    const Part* part = places_.maker_of(name.substr(0, name.size() - 5));
    return part ? group_of_part(part, true) : group_backwards(std::nullopt);
  }

  // A composite is the group. So is an op that became several nodes.
  Group group_of_part(const Part* part, bool backwards) {
    Group group = places_.group_of(part->op ? part->owner : part);
    if (backwards) group = group_backwards(group);
    const auto count = counts_.find({part, backwards});
    if (!part->op || count == counts_.end() || count->second == 1) return group;
    return made(part->owner->name_of(*part), part->class_name(), group);
  }

  // The copy of a group below the group "gradient".
  Group group_backwards(Group group) {
    if (!group) return made(gradient_group, "", std::nullopt);
    const ViewGroup original = view_.groups[*group];
    const Group copy = made(original.name, original.class_name, group_backwards(original.parent));
    view_.groups[*copy].is_composed = original.is_composed;
    view_.groups[*copy].is_named = original.is_named;
    view_.groups[*copy].source = original.source;
    return copy;
  }

  std::size_t made(const std::string& name, const std::string& class_name, Group parent) {
    const auto key = std::tuple(parent ? static_cast<std::ptrdiff_t>(*parent) : -1, name);
    const auto [at, is_new] = made_.try_emplace(key, view_.groups.size());
    if (is_new) view_.groups.push_back({.name = name, .class_name = class_name, .parent = parent});
    return at->second;
  }

  const Graph& graph_;
  const PartPlaces& places_;
  const InputRoles& roles_;
  ViewGraph view_;
  Facts facts_;
  DistinctNames names_{facts_};
  UnknownNumbers unknowns_;
  bool has_gradients_ = false;
  std::unordered_set<std::string> forward_;
  std::unordered_set<std::size_t> parameters_, constants_;
  std::map<std::pair<const Part*, bool>, std::size_t> counts_;
  std::map<std::tuple<std::ptrdiff_t, std::string>, std::size_t> made_;
};

}  // namespace

ViewGraph view_of(const Graph& graph, const PartPlaces& places, const InputRoles& roles,
                  const Graph* forward) {
  return GraphView(graph, places, roles, forward).take();
}

}  // namespace mithril
