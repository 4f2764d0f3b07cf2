#include "mithril/onnx/graph_node.hpp"

#include "mithril/base/text.hpp"
#include "mithril/models/cond.hpp"
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

// The outputs of one branch, which adds to the model around it.
Outputs branch_outputs(const GraphNode& at, const char* name) {
  Scope inner = at.inner(at.graph(name), *at.scope.workspace);
  at.importer.open(inner);
  Outputs outputs;
  for (const ValueRecord& output : inner.graph->outputs)
    outputs.push_back(at.importer.need(inner, output.name));
  return outputs;
}

// The results of the graph for each element of the first input. Other sequences have as many
// elements, and the graph reads whole tensors.
Outputs mapped_sequences(const GraphNode& at) {
  const GraphRecord& graph = at.graph("body");
  const std::vector<Value>& inputs = at.node.values();
  if (!at.node.value(0).is_sequence) refuse("its input 0 is not a sequence");
  if (graph.inputs.size() != inputs.size())
    refuse("its body has " + std::to_string(graph.inputs.size()) + " inputs, expected " +
           std::to_string(inputs.size()));
  const std::size_t count = inputs[0].items.size();
  for (const Value& input : inputs)
    if (input.is_sequence && input.items.size() != count)
      refuse("its sequences have different lengths");
  Outputs outputs(graph.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].is_sequence = true;
    outputs[i].type = graph.outputs[i].type;
  }
  for (std::size_t k = 0; k < count; ++k) {
    Scope inner = at.inner(graph, *at.scope.workspace);
    inner.is_repeated = true;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inner.values[graph.inputs[i].name] = inputs[i].is_sequence ? inputs[i].items[k] : inputs[i];
    at.importer.open(inner);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      Value made = at.importer.need(inner, graph.outputs[i].name);
      if (made.is_missing) return missing_outputs(at);
      if (made.is_sequence || made.is_empty) refuse("its graph returns a sequence");
      outputs[i].type = made.type;
      outputs[i].items.push_back(std::move(made));
    }
  }
  return outputs;
}

// Both branches as parts, of which one runs.
class Choice {
 public:
  explicit Choice(const GraphNode& at) : at_(at), condition_(inputs_.add_key("condition")) {
    for (std::size_t i = 0; i < at.node.node().outputs.size(); ++i)
      keys_.push_back(inputs_.add_key("output"));
    types_.resize(keys_.size());
  }

  Outputs outputs() {
    const Model then = branch("then_branch"), otherwise = branch("else_branch");
    if (is_missing_) {
      refuse("a branch cannot be imported, and its condition " + in_quotes(at_.node.value(0).name) +
                 " depends on data",
             "constants= fixes an input of the model, and shapes= its sizes");
    }
    Bindings bindings = inputs_.bindings();
    bindings.emplace_back(condition_, as_scalar(at_.node[0]));
    const Model made = Cond(condition_, then, otherwise);
    static_cast<void>(made.apply(bindings));
    Outputs outputs;
    for (std::size_t i = 0; i < keys_.size(); ++i)
      outputs.push_back(at_.node.wants(i) ? Value(made.at(keys_[i]), types_[i]) : Value());
    return outputs;
  }

 private:
  Model branch(const char* name) {
    Workspace inside(*at_.scope.workspace, inputs_);
    Scope inner = at_.inner(at_.graph(name), inside);
    if (inner.graph->outputs.size() < keys_.size())
      refuse("its " + std::string(name) + " has " + std::to_string(inner.graph->outputs.size()) +
             " outputs, expected " + std::to_string(keys_.size()));
    at_.importer.open(inner);
    std::vector<std::pair<std::string, Connection>> made;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (!at_.node.wants(i)) continue;
      const Value value = at_.importer.need(inner, inner.graph->outputs[i].name);
      is_missing_ = is_missing_ || value.is_missing;
      if (value.is_missing) continue;
      if (types_[i] == ElementType::undefined) types_[i] = value.type;
      need_type("the output " + in_quotes(inner.graph->outputs[i].name), value.type, types_[i]);
      made.emplace_back(keys_[i], part_output(inside, value));
    }
    if (!is_missing_) inside.model().expose_keys(made);
    return inside.model();
  }

  const GraphNode& at_;
  PartInputs inputs_;
  std::string condition_;
  std::vector<std::string> keys_;
  std::vector<ElementType> types_;
  bool is_missing_ = false;
};

}  // namespace

const GraphRecord& GraphNode::graph(const char* name) const {
  const AttributeRecord* found = node.attribute(name);
  if (!found || !found->g) refuse(std::string("it has no ") + name);
  return *found->g;
}

Scope GraphNode::inner(const GraphRecord& graph, Workspace& workspace) const {
  return {.graph = &graph,
          .workspace = &workspace,
          .opsets = scope.opsets,
          .around = &scope,
          .prefix = scope.prefix,
          .is_repeated = scope.is_repeated,
          .depth = scope.depth + 1};
}

Outputs missing_outputs(const GraphNode& node) {
  Outputs outputs(node.node.node().outputs.size());
  for (Value& output : outputs) output.is_missing = true;
  return outputs;
}

Connection as_scalar(const Connection& x) {
  return x.known_shape().rank() == std::size_t{0} ? x : reshaped(x, {});
}

Connection part_output(Workspace& workspace, const Value& value) {
  if (value.is_sequence || value.is_empty) refuse("its graph returns a sequence");
  if (value.count) refuse("its graph returns a tensor whose size depends on data");
  return apply("buffer", {workspace.connection(value)});
}

void need_type(const std::string& what, ElementType made, ElementType expected) {
  if (made != expected) refuse(what + " is " + name_of(made) + ", expected " + name_of(expected));
}

bool is_graph_node(const NodeRecord& node) {
  if (node.domain == "ai.onnx.preview") return node.op == "FlexAttention";
  return node.domain.empty() &&
         (node.op == "If" || node.op == "Loop" || node.op == "Scan" || node.op == "SequenceMap");
}

Outputs outputs_of_graph_node(const GraphNode& at) {
  const std::string& op = at.node.node().op;
  if (op == "Loop") return loop_outputs(at);
  if (op == "Scan") return scan_outputs(at);
  if (op == "SequenceMap") return mapped_sequences(at);
  if (op == "FlexAttention") return flex_attention_outputs(at);
  if (at.node.is_known(0) && at.node.known(0).size() == 1)
    return branch_outputs(at, at.node.number(0) != 0 ? "then_branch" : "else_branch");
  return Choice(at).outputs();
}

}  // namespace mithril::onnx
