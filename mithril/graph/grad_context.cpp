#include "mithril/graph/grad_context.hpp"

#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {

NodeContext::NodeContext(Graph& graph, const Node& node, const std::string& scope)
    : graph_(graph), node_(node), scope_(scope) {}

const Argument& NodeContext::argument(std::string_view port, int item) const {
  return node_.arguments[node_.argument_index(port) + static_cast<size_t>(item)];
}
bool NodeContext::has(std::string_view port, int item) const {
  return tensor_of(argument(port, item)) != nullptr;
}

Expression NodeContext::in(std::string_view port, int item) const {
  const ValueId* id = tensor_of(argument(port, item));
  if (!id) faulty_record(*node_.op, "it takes port '" + std::string(port) + "' for a tensor");
  return expression(*id);
}

Operand NodeContext::operand(std::string_view port, int item) const {
  return Operand(argument(port, item), expression(ValueId{}));
}

const Datum& NodeContext::value(std::string_view port, int item) const {
  const Datum* datum = std::get_if<Datum>(&argument(port, item));
  if (!datum) faulty_record(*node_.op, "it takes port '" + std::string(port) + "' for a value");
  return *datum;
}

GradContext::GradContext(Graph& graph, const Node& node, const std::string& scope,
                         std::vector<std::optional<ValueId>> output_grads, std::vector<bool> needed)
    : NodeContext(graph, node, scope),
      output_grads_(std::move(output_grads)),
      needed_(std::move(needed)),
      flows_(node_.arguments.size()) {}

Expression GradContext::out(int index) const { return expression(node_.outputs[index]); }

Expression GradContext::out_grad(int index) const {
  if (const auto grad = output_grads_[index]) return expression(*grad);
  const Expression made = out(index);
  // An op does not read the gradient of an index.
  return is_floating(made.dtype()) ? call("fill_like", {made, 0.0}) : made;
}

bool GradContext::needs(std::string_view port, int item) const {
  return needed_[node_.argument_index(port) + static_cast<size_t>(item)];
}

void GradContext::flow(std::string_view port, const Expression& grad, int item) {
  flows_[node_.argument_index(port) + static_cast<size_t>(item)] = grad.id;
}

void ExpandContext::become(const Expression& result, int index) {
  results_.resize(node_.op->list_output() < 0
                      ? node_.op->outputs.size()
                      : std::max(results_.size(), static_cast<size_t>(index) + 1));
  results_[static_cast<size_t>(index)] = result.id;
}

Expression ExpandContext::make(std::string_view op, std::initializer_list<Operand> operands) {
  return call_in(expression(ValueId{}), op, operands);
}

}  // namespace mithril
