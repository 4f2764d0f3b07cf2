#include "mithril/passes/split_gradient.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "mithril/passes/forward_part.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

// One of the two graphs, and the mapping of values to it.
struct GraphSide {
  explicit GraphSide(const Graph& whole) : map(whole.values().size(), nowhere) {
    graph.share_facts(whole);
    graph.set_default_dtype(whole.default_dtype());
  }

  bool has(ValueId id) const { return map[index(id)] != nowhere; }

  void add(const Graph& whole, Node node) {
    for (Argument& argument : node.arguments) {
      if (ValueId* id = std::get_if<ValueId>(&argument)) *id = map[index(*id)];
    }
    for (ValueId& id : node.outputs) {
      map[index(id)] = graph.add_value(whole.value(id));
      id = map[index(id)];
    }
    graph.add_node(std::move(node));
  }

  Graph graph;
  std::vector<ValueId> map;
};

class GradientSplitting {
 public:
  GradientSplitting(const Graph& whole, size_t inputs, size_t outputs)
      : whole_(whole),
        inputs_(inputs),
        outputs_(outputs),
        early_(forward_part(whole, outputs)),
        constant_(whole.values().size()) {
    for (const Constant& constant : whole.constants()) constant_[index(constant.value)] = true;
  }

  GradientGraphs run() {
    build_forward();
    build_backward();
    return {std::move(forward_.graph), std::move(backward_.graph)};
  }

 private:
  void build_forward() {
    for (size_t i = 0; i < inputs_; ++i) {
      const ValueId id = whole_.inputs()[i];
      forward_.map[index(id)] = forward_.graph.add_input(whole_.value(id));
    }
    for (const Constant& constant : whole_.constants()) {
      if (early_[index(constant.value)]) add_constant(forward_, constant);
    }
    for (const Node& node : whole_.nodes()) {
      if (makes_any(node, early_)) forward_.add(whole_, node);
    }
    for (size_t i = 0; i < outputs_; ++i) {
      const Output& output = whole_.outputs()[i];
      forward_.graph.add_output(output.name, forward_.map[index(output.value)]);
    }
  }

  // Includes the forward inputs, from which sizes are observed.
  void build_backward() {
    for (size_t i = 0; i < inputs_; ++i) keep(whole_.inputs()[i]);
    for (const Node& node : whole_.nodes()) {
      if (makes_any(node, early_)) continue;
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument); id && forward_.has(*id)) keep(*id);
      }
    }
    for (size_t i = outputs_; i < whole_.outputs().size(); ++i) {
      const ValueId id = whole_.outputs()[i].value;
      if (forward_.has(id)) keep(id);
    }
    for (size_t i = inputs_; i < whole_.inputs().size(); ++i) {
      const ValueId id = whole_.inputs()[i];
      backward_.map[index(id)] = backward_.graph.add_input(whole_.value(id));
    }
    for (const Constant& constant : whole_.constants()) {
      if (!backward_.has(constant.value)) add_constant(backward_, constant);
    }
    for (const Node& node : whole_.nodes()) {
      if (!makes_any(node, early_)) backward_.add(whole_, node);
    }
    for (size_t i = outputs_; i < whole_.outputs().size(); ++i) {
      const Output& output = whole_.outputs()[i];
      backward_.graph.add_output(output.name, backward_.map[index(output.value)]);
    }
    backward_.graph.drop_unread();
  }

  void keep(ValueId id) {
    if (constant_[index(id)] || backward_.has(id)) return;
    backward_.map[index(id)] = backward_.graph.add_input(whole_.value(id));
    forward_.graph.add_output("saved." + whole_.value(id).name, forward_.map[index(id)]);
  }

  void add_constant(GraphSide& side, const Constant& constant) {
    side.map[index(constant.value)] =
        side.graph.add_constant(whole_.value(constant.value).name, constant.tensor);
  }

  const Graph& whole_;
  const size_t inputs_, outputs_;
  const std::vector<bool> early_;  // per value
  std::vector<bool> constant_;
  GraphSide forward_{whole_}, backward_{whole_};
};

}  // namespace

GradientGraphs split_gradient(const Graph& whole, size_t inputs, size_t outputs) {
  return GradientSplitting(whole, inputs, outputs).run();
}

Graph gradients_alone(const Graph& whole, size_t outputs) {
  std::string prefix = "gradient.";
  const auto is_taken = [&](const Value& value) { return value.name.starts_with(prefix); };
  while (std::any_of(whole.values().begin(), whole.values().end(), is_taken)) prefix += "gradient.";
  Rebuilder rebuilder(whole);
  for (const Node& node : whole.nodes()) rebuilder.keep(node);
  Graph graph = rebuilder.graph();
  for (size_t i = outputs; i < whole.outputs().size(); ++i) {
    const Output& output = whole.outputs()[i];
    graph.add_output(prefix + output.name, rebuilder.map(output.value));
  }
  graph.drop_unread();
  return graph;
}

}  // namespace mithril
