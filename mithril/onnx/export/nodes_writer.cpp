#include "mithril/onnx/export/nodes_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/onnx/export/nested_graph.hpp"
#include "mithril/onnx/export/opsets.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::onnx {
NodesWriter::NodesWriter(const Graph& graph, GraphBuilder& builder, std::vector<Fact>& problems,
                         NameOf name_of)
    : graph_(graph),
      builder_(builder),
      problems_(problems),
      name_of_(std::move(name_of)),
      operands_(graph.values().size()) {}

void NodesWriter::define(ValueId id, std::string name) {
  Operand& operand = operands_[index(id)];
  const Value& value = graph_.value(id);
  operand = {.name = std::move(name), .dtype = value.dtype};
  const std::int64_t first = first_opset_of(value.dtype);
  if (!operand.is_missing() && builder_.opset() < first) {
    problems_.push_back({value.name, fmt::format("ONNX has {} from opset {} on",
                                                 mithril::name(value.dtype), first)});
  }
  if (!value.ranked) return;
  operand.dims = value.dims;
  if (!operand.is_missing()) builder_.know(value.dims, operand.name);
}

const std::vector<Operand>& NodesWriter::write(const std::vector<Operand>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) define(graph_.inputs()[i], inputs[i].name);
  for (const Constant& constant : graph_.constants()) {
    // Without the end, files would have parameters with the names of ports.
    define(constant.value, builder_.names().add(graph_.value(constant.value).name + "/constant"));
    builder_.graph().initializers.push_back(
        {operands_[index(constant.value)].name, constant.tensor.host()});
  }
  for (const Node& node : graph_.nodes()) add(node);
  return operands_;
}

std::vector<Operand> NodesWriter::outputs() const {
  std::vector<Operand> outputs;
  for (const Output& output : graph_.outputs()) outputs.push_back(operands_[index(output.value)]);
  return outputs;
}

void NodesWriter::add(const Node& node) {
  const std::size_t first = builder_.graph().nodes.size();
  const std::string& path = graph_.value(node.outputs.front()).name;
  builder_.begin(path, node.op->name);
  const FormContext context(builder_, graph_, node, operands_);
  std::vector<Operand> made;
  try {
    made = has_nested_graphs(node) ? nested_results(context) : spell_node(context);
  } catch (const NoForm& missing) {
    problems_.push_back({path, node.op->name + ": " + missing.reason});
  }
  made.resize(node.outputs.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const ValueId id = node.outputs[i];
    define(id, made[i].is_missing() ? "" : renamed(made[i].name, id, first));
  }
}

// A tensor that these nodes have made gets the name of the value.
std::string NodesWriter::renamed(const std::string& name, ValueId id, std::size_t first) {
  std::vector<WrittenNode>& nodes = builder_.graph().nodes;
  std::string* output = nullptr;
  for (std::size_t i = first; i < nodes.size(); ++i) {
    const auto at = std::find(nodes[i].outputs.begin(), nodes[i].outputs.end(), name);
    if (at != nodes[i].outputs.end()) output = &*at;
  }
  if (!output || named_.contains(name)) return name;
  const std::string chosen = name_of_ ? name_of_(id) : builder_.names().add(graph_.value(id).name);
  *output = chosen;
  for (std::size_t i = first; i < nodes.size(); ++i)
    std::replace(nodes[i].inputs.begin(), nodes[i].inputs.end(), name, chosen);
  named_.insert(chosen);
  return chosen;
}

std::vector<Operand> NodesWriter::nested_results(const FormContext& context) {
  const Node& node = context.node();
  if (is_scan(node)) return add_loop(node);
  return is_cond(node) ? add_choice(node) : add_while(node);
}

std::vector<Operand> NodesWriter::inlined(const Graph& graph, GraphBuilder& builder,
                                          const std::vector<Operand>& inputs) {
  NodesWriter writer(graph, builder, problems_);
  writer.write(inputs);
  return writer.outputs();
}

std::vector<Operand> NodesWriter::operands_of(const std::vector<ValueId>& ids) const {
  std::vector<Operand> made;
  for (const ValueId id : ids) made.push_back(operands_[index(id)]);
  return made;
}

std::vector<DType> NodesWriter::output_dtypes(const Node& node) const {
  std::vector<DType> dtypes;
  for (const ValueId id : node.outputs) dtypes.push_back(graph_.value(id).dtype);
  return dtypes;
}

// Values that every step reads are those of the graph around the body. `Scan` needs a sequence: a
// loop without one counts its steps.
std::vector<Operand> NodesWriter::add_loop(const Node& node) {
  const ScanLoop scan = scan_of(node);
  const std::vector<Operand> arguments = operands_of(scan.arguments);
  const std::size_t mapped = scan.carries + scan.sequences;
  NestedGraph body(builder_);
  std::vector<Operand> inputs,
      given(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(mapped));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Value& value = scan.body.value(scan.body.inputs()[i]);
    inputs.push_back(i < mapped ? body.add_input(value.name, value.dtype) : arguments[i]);
  }
  if (scan.sequences == 0) {
    static_cast<void>(body.add_input("step", DType::int64));
    given.push_back(builder_.call("Range", {builder_.number(0.0, DType::int64),
                                            builder_.number(scan.length.dim(), DType::int64),
                                            builder_.number(1.0, DType::int64)}));
  }
  const std::vector<Operand> made = inlined(scan.body, body.builder(), inputs);
  const std::vector<DType> dtypes = output_dtypes(node);
  for (std::size_t i = 0; i < made.size(); ++i) body.add_output(made[i], dtypes[i]);
  const auto sequences = static_cast<std::int64_t>(std::max<std::size_t>(scan.sequences, 1));
  Attributes attributes = {{"body", body.finish()}, {"num_scan_inputs", sequences}};
  if (scan.reverse) {
    attributes.emplace_back("scan_input_directions",
                            std::vector<std::int64_t>(static_cast<std::size_t>(sequences), 1));
    if (scan.stacks() > 0)
      attributes.emplace_back("scan_output_directions",
                              std::vector<std::int64_t>(scan.stacks(), 1));
  }
  return builder_.call_several("Scan", given, std::move(attributes), dtypes);
}

std::vector<Operand> NodesWriter::add_choice(const Node& node) {
  const CondNode cond = cond_of(node);
  const std::vector<Operand> arguments = operands_of(cond.arguments);
  const std::vector<DType> dtypes = output_dtypes(node);
  const auto branch = [&](const Graph& graph) {
    NestedGraph nested(builder_);
    const std::vector<Operand> made = inlined(graph, nested.builder(), arguments);
    for (std::size_t i = 0; i < made.size(); ++i) nested.add_output(made[i], dtypes[i]);
    return nested.finish();
  };
  AttributeValue then = branch(cond.then), otherwise = branch(cond.otherwise);
  return builder_.call_several(
      "If", {operands_[index(cond.condition)]},
      {{"then_branch", std::move(then)}, {"else_branch", std::move(otherwise)}}, dtypes);
}

// `Loop` computes the condition of the next step at the end of a step.
std::vector<Operand> NodesWriter::add_while(const Node& node) {
  const WhileNode loop = while_of(node);
  const std::vector<Operand> arguments = operands_of(loop.arguments);
  const std::vector<DType> dtypes = output_dtypes(node);
  const std::size_t carries = loop.carries();
  const Operand begins = inlined(loop.condition, builder_, arguments).front();
  NestedGraph body(builder_);
  static_cast<void>(body.add_input("step", DType::int64, true));
  static_cast<void>(body.add_input("goes_on", DType::boolean, true));
  std::vector<Operand> inputs, given = {{}, begins};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Value& value = loop.body.value(loop.body.inputs()[i]);
    inputs.push_back(i < carries ? body.add_input(value.name, value.dtype) : arguments[i]);
    if (i < carries) given.push_back(arguments[i]);
  }
  const std::vector<Operand> made = inlined(loop.body, body.builder(), inputs);
  std::vector<Operand> next = inputs;
  std::copy(made.begin(), made.end(), next.begin());
  body.add_output(inlined(loop.condition, body.builder(), next).front(), DType::boolean);
  for (std::size_t i = 0; i < made.size(); ++i) body.add_output(made[i], dtypes[i]);
  return builder_.call_several("Loop", given, {{"body", body.finish()}}, dtypes);
}

}  // namespace mithril::onnx
