#include "mithril/viewer/model_graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mithril/base/unknowns.hpp"
#include "mithril/infer/distinct_names.hpp"
#include "mithril/infer/symbol.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/table.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

bool may_be_tensor(const Wire* wire) { return find(wire->type)->kinds & kind::tensor; }

// The kinds without "tensor": "float".
std::string kinds_text(Kinds kinds) {
  std::string text = to_string_kinds(static_cast<Kinds>(kinds & kind::tensor));
  for (std::size_t at; (at = text.find(" tensor")) != text.npos;) text.erase(at, 7);
  return text;
}

class ModelView {
 public:
  ModelView(const Composite& model, const PartPlaces& places,
            const std::set<std::string>& parameters)
      : model_(model), places_(places) {
    view_.id = "model";
    view_.title = "Model";
    view_.groups = places.groups();
    note_inputs(parameters);
    for (Part* op : all_op_parts(model)) add_op(*op);
    add_outputs();
    // Inputs first: readers of the page meet them first.
    std::stable_sort(view_.nodes.begin(), view_.nodes.end(), [](const auto& a, const auto& b) {
      return rank_of(a.kind) < rank_of(b.kind);
    });
  }

  ViewGraph take() { return std::move(view_); }

 private:
  static int rank_of(ViewNode::Kind kind) {
    if (kind == ViewNode::Kind::output) return 2;
    return kind == ViewNode::Kind::op ? 1 : 0;
  }

  void note_inputs(const std::set<std::string>& parameters) {
    std::vector<const Wire*> wires;
    for (const NamedPort& port : input_ports(model_, true)) {
      inputs_.emplace(port.wire, port.name);
      wires.push_back(port.wire);
      if (parameters.contains(port.name)) parameters_.insert(port.wire);
    }
    for (const Wire* wire : layer_parameters(model_, wires)) parameters_.insert(wire);
    if (!model_.extras) return;
    for (const StatePair& state : model_.extras->states) states_.insert(top(state.input));
  }

  std::size_t value_of_wire(Wire* wire) {
    const auto [at, is_new] = values_.try_emplace(wire, view_.values.size());
    if (!is_new) return at->second;
    ViewValue value{.name = name_in_graph(model_, wire), .is_tensor = may_be_tensor(wire)};
    if (value.is_tensor) {
      describe_tensor(wire, value);
    } else {
      value.shape = texts_.text(wire);
      value.dtype = to_string_kinds(find(wire->type)->kinds);
    }
    view_.values.push_back(std::move(value));
    return at->second;
  }

  void describe_tensor(const Wire* wire, ViewValue& value) {
    const Shape shape = Facts::resolve(wire->shape);
    const Shape named = names_.copy(shape);
    value.shape = unknowns_.renumber(to_string(named));
    value.dtype =
        wire->dtype ? std::string(name(*wire->dtype)) : kinds_text(find(wire->type)->kinds);
    add_origins(shape.head, named.head, value);
    add_origins(shape.tail, named.tail, value);
    if (const std::string origin = origin_text(find(wire->type)->origin); !origin.empty()) {
      value.facts.emplace_back(value.dtype, origin);
    }
  }

  void add_origins(const std::vector<Dim>& dims, const std::vector<Dim>& named, ViewValue& value) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const std::string origin = origin_text(origin_of(dims[i]));
      if (origin.empty()) continue;
      value.facts.emplace_back(unknowns_.renumber(to_string(named[i])), origin);
    }
  }

  void add_op(Part& op) {
    ViewNode node{.name = op.owner->name_of(op),
                  .class_name = op.class_name(),
                  .group = places_.group_of(op.owner),
                  .is_named = !op.given_name().empty(),
                  .source = source_text(op)};
    for (std::size_t slot = 0; slot < op.slot_count; ++slot) {
      if (!op.slots[slot]) continue;
      Wire* wire = top(op.slots[slot]);
      const std::string& port = op.port_at(slot).name;
      if (slot >= op.input_count) {
        node.outputs.push_back({port, value_of_wire(wire)});
      } else {
        add_input(node, port, wire);
      }
    }
    add_stated_arguments(static_cast<const OpPart&>(op), node);
    view_.nodes.push_back(std::move(node));
  }

  void add_input(ViewNode& node, const std::string& port, Wire* wire) {
    if (wire->driver) {
      node.inputs.push_back({port, value_of_wire(wire)});
    } else if (is_valued(wire)) {
      const std::string text = texts_.text(wire);
      node.arguments.emplace_back(port, wire->constant ? "constant " + text : text);
    } else if (parameters_.contains(wire)) {
      node.parameters.push_back({port, name_in_graph(model_, wire), value_of_wire(wire)});
    } else {
      add_input_node(wire);
      node.inputs.push_back({port, value_of_wire(wire)});
    }
  }

  // Values of ports that were left without a wire.
  static void add_stated_arguments(const OpPart& op, ViewNode& node) {
    if (!op.arguments) return;
    for (const auto& [port, value] : *op.arguments) {
      const auto is_it = [&, &name = port](const auto& argument) { return argument.first == name; };
      if (std::any_of(node.arguments.begin(), node.arguments.end(), is_it)) continue;
      node.arguments.emplace_back(port, to_string(value));
    }
  }

  void add_input_node(Wire* wire) {
    if (!shown_inputs_.insert(wire).second) return;
    const auto at = inputs_.find(wire);
    view_.nodes.push_back(
        {.kind = states_.contains(wire) ? ViewNode::Kind::state : ViewNode::Kind::input,
         .name = at == inputs_.end() ? name_in_graph(model_, wire) : at->second,
         .is_named = true,
         .outputs = {{"", value_of_wire(wire)}}});
  }

  void add_outputs() {
    for (const NamedPort& port : output_ports(model_)) {
      view_.nodes.push_back({.kind = ViewNode::Kind::output,
                             .name = port.name,
                             .is_named = true,
                             .inputs = {{"", value_of_wire(top(port.wire))}}});
    }
  }

  const Composite& model_;
  const PartPlaces& places_;
  ViewGraph view_;
  Facts facts_;
  DistinctNames names_{facts_};
  UnknownNumbers unknowns_;
  WireTexts texts_;
  std::unordered_map<const Wire*, std::string> inputs_;
  std::unordered_set<const Wire*> parameters_, states_, shown_inputs_;
  std::unordered_map<const Wire*, std::size_t> values_;
};

}  // namespace

ViewGraph view_of(const Composite& model, const PartPlaces& places,
                  const std::set<std::string>& parameters) {
  return ModelView(model, places, parameters).take();
}

}  // namespace mithril
