#include "mithril/grad/differentiate.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "mithril/graph/grad_context.hpp"
#include "mithril/graph/half_precision.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

class Differentiation {
 public:
  Differentiation(Graph graph, const DifferentiateOptions& options)
      : graph_(std::move(graph)), options_(options), prefix_(free_prefix()) {}

  Graph run() {
    add_gradients();
    for (size_t i = 0; i < wanted_.size(); ++i) finish(options_.wanted[i], wanted_[i]);
    return std::move(graph_);
  }

  std::vector<bool> reached() {
    add_gradients();
    std::vector<bool> reached;
    for (const ValueId id : wanted_) reached.push_back(grads_[index(id)].has_value());
    return reached;
  }

 private:
  void add_gradients() {
    const size_t node_count = graph_.nodes().size();
    find_wanted();
    mark_needed();
    grads_.resize(graph_.values().size());
    for (const std::string& name : options_.outputs) seed(name);
    for (size_t i = node_count; i-- > 0;) walk_back(static_cast<NodeId>(i));
  }

  [[noreturn]] static void not_float(const Value& value, const std::string& what) {
    raise({.kind = ErrorKind::gradient,
           .code = "E0502",
           .path = value.name,
           .message = what + " is " + std::string(name(value.dtype)) +
                      ": only float tensors have gradients"});
  }

  void find_wanted() {
    std::unordered_map<std::string_view, ValueId> inputs;
    inputs.reserve(graph_.inputs().size());
    for (const ValueId id : graph_.inputs()) inputs.emplace(graph_.value(id).name, id);
    for (const std::string& name : options_.wanted) {
      const auto at = inputs.find(name);
      wanted_.push_back(at != inputs.end() ? at->second : graph_.id_of(name));
    }
  }

  // A value is needed if a wanted value flows into it through float values.
  void mark_needed() {
    needed_.resize(graph_.values().size());
    for (const ValueId id : wanted_) {
      if (!is_floating(graph_.value(id).dtype))
        not_float(graph_.value(id), "the value whose gradient is wanted");
      needed_[index(id)] = true;
    }
    for (const Node& node : graph_.nodes()) {
      if (!any_needed(node)) continue;
      for (const ValueId id : node.outputs)
        needed_[index(id)] = is_floating(graph_.value(id).dtype);
    }
  }

  bool any_needed(const Node& node) const {
    for (const Argument& argument : node.arguments) {
      const ValueId* id = tensor_of(argument);
      if (id && needed_[index(*id)]) return true;
    }
    return false;
  }

  void seed(const std::string& name) {
    const Output* output = nullptr;
    for (const Output& candidate : graph_.outputs()) {
      if (candidate.name == name) output = &candidate;
    }
    MITHRIL_CHECK(output, "the graph has no output '" + name + "'");
    Value value = graph_.value(output->value);
    if (!is_floating(value.dtype)) not_float(value, "output '" + name + "'");
    value.name = name + ".grad";
    enter(name);
    const ValueId id = output->value;
    accumulate(id, graph_.add_input(std::move(value)));
  }

  void accumulate(ValueId to, ValueId grad) {
    std::optional<ValueId>& sum = grads_[index(to)];
    sum = sum ? (expression(*sum) + expression(grad)).id : grad;
  }

  Expression expression(ValueId id) { return {&graph_, id, scope_}; }

  // Scopes outlive the expressions that refer to them.
  void enter(const std::string& name) { scope_ = &scopes_.emplace_back(prefix_ + name); }

  // The prefix of new values: "grad.", or "grad.grad." in a graph that is a gradient already.
  std::string free_prefix() const {
    std::string prefix = "grad.";
    const auto taken = [&](const Value& value) { return value.name.starts_with(prefix); };
    while (std::any_of(graph_.values().begin(), graph_.values().end(), taken)) prefix += "grad.";
    return prefix;
  }

  void walk_back(NodeId id) {
    const Node node = graph_.node(id);
    bool live = false;
    for (const ValueId output : node.outputs)
      live = live || (needed_[index(output)] && grads_[index(output)]);
    if (!live || !any_needed(node)) return;
    const std::string& name = graph_.value(node.outputs.front()).name;
    if (!node.op->grad) no_gradient(node, name);
    enter(name);
    std::vector<std::optional<ValueId>> output_grads;
    for (const ValueId output : node.outputs) output_grads.push_back(grads_[index(output)]);
    std::vector<bool> needed;
    for (const Argument& argument : node.arguments) {
      const ValueId* tensor = tensor_of(argument);
      needed.push_back(tensor && needed_[index(*tensor)]);
    }
    const auto flows = rounded_once(node, output_grads, needed);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      if (!needed[i] || !flows[i]) continue;
      check_rank(*tensor_of(node.arguments[i]), *flows[i], *node.op);
      accumulate(*tensor_of(node.arguments[i]), *flows[i]);
    }
  }

  using Grads = std::vector<std::optional<ValueId>>;

  Grads flows_of(const Node& node, Grads output_grads, const std::vector<bool>& needed) {
    GradContext context(graph_, node, *scope_, std::move(output_grads), needed);
    node.op->grad(context);
    return context.flows();
  }

  // A gradient of several ops, such as x * y * 2, is computed in float32 where it would round to
  // half precision in between. Products stay as fast as those of the model.
  Grads rounded_once(const Node& node, const Grads& output_grads, const std::vector<bool>& needed) {
    const size_t values = graph_.values().size(), nodes = graph_.nodes().size();
    Grads rounded = flows_of(node, output_grads, needed);
    if (node.op->cast == CastPolicy::lower || !rounds_between(graph_, nodes)) return rounded;
    std::vector<DType> dtypes;
    for (const auto& flow : rounded)
      dtypes.push_back(flow ? graph_.value(*flow).dtype : DType::float32);
    graph_.truncate(values, nodes);
    WideArithmetic wide(graph_, *scope_);
    Node widened = wide.widened(node);
    Grads grads = output_grads;
    for (ValueId& output : widened.outputs) output = wide.widened(output);
    for (auto& grad : grads) {
      if (grad) grad = wide.widened(*grad);
    }
    Grads flows = flows_of(widened, std::move(grads), needed);
    for (size_t i = 0; i < flows.size(); ++i) {
      if (flows[i]) flows[i] = wide.narrowed(*flows[i], dtypes[i]);
    }
    return flows;
  }

  void check_rank(ValueId of, ValueId grad, const OpDef& op) const {
    const Value &a = graph_.value(of), &b = graph_.value(grad);
    if (a.ranked && b.ranked && a.dims.size() != b.dims.size())
      faulty_record(op, "the gradient that it gives for " + a.name + " has another rank");
  }

  ValueId grad_or_zeros(ValueId id) {
    if (const auto grad = grads_[index(id)]) return *grad;
    return call("fill_like", {expression(id), 0.0}).id;
  }

  [[noreturn]] void no_gradient(const Node& node, const std::string& name) const {
    std::string port;
    for (const PortDef& def : node.op->inputs) {
      const ValueId* id = tensor_of(node.arguments[node.argument_index(def.name)]);
      if (id && needed_[index(*id)]) {
        port = def.name;
        break;
      }
    }
    raise({.kind = ErrorKind::gradient,
           .code = "E0501",
           .path = name,
           .port = port,
           .message =
               "no gradient flows through op '" + node.op->name + "' to its port '" + port + "'",
           .facts = {{"reason", node.op->not_differentiable, ""}},
           .help = "declare the inputs before it as not differentiable, or do without this op"});
  }

  void finish(const std::string& name, ValueId id) {
    enter(name);
    graph_.add_output(name + ".grad", grad_or_zeros(id));
  }

  Graph graph_;
  const DifferentiateOptions& options_;
  std::vector<ValueId> wanted_;
  std::vector<bool> needed_;
  std::vector<std::optional<ValueId>> grads_;
  std::string prefix_;
  std::deque<std::string> scopes_;
  const std::string* scope_ = nullptr;
};

}  // namespace

Graph differentiate(Graph graph, const DifferentiateOptions& options) {
  return Differentiation(std::move(graph), options).run();
}

std::vector<bool> have_gradients(const Graph& graph, const DifferentiateOptions& options) {
  return Differentiation(graph, options).reached();
}

}  // namespace mithril
