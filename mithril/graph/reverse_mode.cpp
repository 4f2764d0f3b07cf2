#include "mithril/graph/reverse_mode.hpp"

#include <algorithm>
#include <utility>

#include "mithril/graph/grad_context.hpp"
#include "mithril/graph/half_precision.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

namespace {

const Node* maker_of(const Graph& graph, ValueId value) {
  for (const Node& node : graph.nodes()) {
    if (std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end())
      return &node;
  }
  return nullptr;
}

}  // namespace

std::optional<std::pair<ValueId, ValueId>> factors_of_product(const Graph& graph, ValueId value) {
  const Node* product = maker_of(graph, value);
  if (!product || product->op->name != "matmul") return std::nullopt;
  const Node* columns = maker_of(graph, *tensor_of(product->arguments[0]));
  if (!columns || columns->op->name != "swapaxes") return std::nullopt;
  return std::pair(*tensor_of(columns->arguments[0]), *tensor_of(product->arguments[1]));
}

void require_float(const Value& value, const std::string& what) {
  if (is_floating(value.dtype)) return;
  raise({.kind = ErrorKind::gradient,
         .code = "E0502",
         .path = value.name,
         .message = what + " is " + std::string(name(value.dtype)) +
                    ": only float tensors have gradients"});
}

ReverseMode::ReverseMode(Graph& graph, std::string prefix, const std::vector<ValueId>& wanted)
    : graph_(graph),
      prefix_(std::move(prefix)),
      node_count_(graph.nodes().size()),
      needed_(graph.values().size()),
      gradients_(graph.values().size()) {
  mark_needed(wanted);
}

// A value is needed if a wanted value flows into it through float values.
void ReverseMode::mark_needed(const std::vector<ValueId>& wanted) {
  for (const ValueId id : wanted) {
    require_float(graph_.value(id), "the value whose gradient is wanted");
    needed_[index(id)] = true;
  }
  for (const Node& node : graph_.nodes()) {
    if (!any_needed(node)) continue;
    for (const ValueId id : node.outputs)
      needed_[index(id)] = needed_[index(id)] || is_floating(graph_.value(id).dtype);
  }
}

bool ReverseMode::any_needed(const Node& node) const {
  for (const Argument& argument : node.arguments) {
    const ValueId* id = tensor_of(argument);
    if (id && needed_[index(*id)]) return true;
  }
  return false;
}

void ReverseMode::seed(ValueId value, ValueId gradient) {
  enter(graph_.value(value).name);
  std::optional<ValueId>& sum = gradients_[index(value)];
  sum = sum ? (expression(*sum) + expression(gradient)).id : gradient;
}

void ReverseMode::run() {
  for (size_t i = node_count_; i-- > 0;) walk_back(static_cast<NodeId>(i));
}

ValueId ReverseMode::gradient_or_zeros(ValueId wanted, const std::string& name) {
  if (const auto& known = gradient(wanted)) return *known;
  enter(name);
  return call("fill_like", {expression(wanted), 0.0}).id;
}

void ReverseMode::walk_back(NodeId id) {
  const Node node = graph_.node(id);
  bool live = false;
  for (const ValueId output : node.outputs)
    live = live || (needed_[index(output)] && gradients_[index(output)]);
  if (!live || !any_needed(node)) return;
  const std::string name = graph_.value(node.outputs.front()).name;
  if (!node.op->grad) refuse(node, name);
  enter(name);
  Gradients output_gradients;
  for (const ValueId output : node.outputs) output_gradients.push_back(gradients_[index(output)]);
  std::vector<bool> needed;
  for (const Argument& argument : node.arguments) {
    const ValueId* tensor = tensor_of(argument);
    needed.push_back(tensor && needed_[index(*tensor)]);
  }
  const Gradients flows = rounded_once(node, output_gradients, needed);
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    if (!needed[i] || !flows[i]) continue;
    const ValueId argument = *tensor_of(node.arguments[i]);
    check_rank(argument, *flows[i], *node.op);
    std::optional<ValueId>& sum = gradients_[index(argument)];
    sum = sum ? (expression(*sum) + expression(*flows[i])).id : *flows[i];
  }
}

ReverseMode::Gradients ReverseMode::flows_of(const Node& node, Gradients output_gradients,
                                             const std::vector<bool>& needed) {
  GradContext context(graph_, node, *scope_, std::move(output_gradients), needed);
  node.op->grad(context);
  return context.flows();
}

// A gradient of several ops, such as x * y * 2, is computed in float32 where it would round to half
// precision in between. Products stay as fast as those of the model.
ReverseMode::Gradients ReverseMode::rounded_once(const Node& node,
                                                 const Gradients& output_gradients,
                                                 const std::vector<bool>& needed) {
  const size_t values = graph_.values().size(), nodes = graph_.nodes().size();
  Gradients rounded = flows_of(node, output_gradients, needed);
  if (node.op->cast == CastPolicy::lower || !rounds_between(graph_, nodes)) return rounded;
  std::vector<DType> dtypes;
  for (const auto& flow : rounded)
    dtypes.push_back(flow ? graph_.value(*flow).dtype : DType::float32);
  graph_.truncate(values, nodes);
  WideArithmetic wide(graph_, *scope_);
  Node widened = wide.widened(node);
  Gradients gradients = output_gradients;
  for (ValueId& output : widened.outputs) output = wide.widened(output);
  for (auto& gradient : gradients) {
    if (gradient) gradient = wide.widened(*gradient);
  }
  Gradients flows = flows_of(widened, std::move(gradients), needed);
  for (size_t i = 0; i < flows.size(); ++i) {
    if (flows[i]) flows[i] = wide.narrowed(*flows[i], dtypes[i]);
  }
  return flows;
}

void ReverseMode::check_rank(ValueId of, ValueId gradient, const OpDef& op) const {
  const Value &a = graph_.value(of), &b = graph_.value(gradient);
  if (a.ranked && b.ranked && a.dims.size() != b.dims.size())
    faulty_record(op, "the gradient that it gives for " + a.name + " has another rank");
}

void ReverseMode::refuse(const Node& node, const std::string& name) const {
  std::string port;
  for (const PortDef& def : node.op->inputs) {
    const ValueId* id = tensor_of(node.arguments[node.argument_index(def.name)]);
    if (id && needed_[index(*id)]) {
      port = def.name;
      break;
    }
  }
  raise(
      {.kind = ErrorKind::gradient,
       .code = "E0501",
       .path = name,
       .port = port,
       .message = "no gradient flows through op '" + node.op->name + "' to its port '" + port + "'",
       .facts = {{"reason", node.op->not_differentiable, ""}},
       .help = "declare the inputs before it as not differentiable, or do without this op"});
}

}  // namespace mithril
