#include "mithril/graph/batch_context.hpp"

#include <utility>

#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

BatchContext::BatchContext(Graph& graph, const Node& node, const std::string& scope, Dim size,
                           std::vector<bool> batched, std::vector<Value> outputs)
    : NodeContext(graph, node, scope),
      size_(std::move(size)),
      batched_(std::move(batched)),
      outputs_(std::move(outputs)),
      results_(outputs_.size()) {}

std::vector<Dim> BatchContext::dims(std::string_view port, int item) const {
  std::vector<Dim> dims = in(port, item).dims();
  if (is_batched(port, item)) dims.erase(dims.begin());
  return dims;
}

Datum BatchContext::shape(std::vector<Dim> dims) const {
  dims.insert(dims.begin(), size_);
  return Datum::dims(dims);
}

Expression BatchContext::reshaped(const Expression& x, const std::vector<Dim>& dims) const {
  return call("reshape", {x, shape(dims)});
}

Expression BatchContext::repeated(const Expression& x) const {
  return call("broadcast_to", {x, shape(x.dims())});
}

Expression BatchContext::batched(std::string_view port, int item) {
  const Expression x = in(port, item);
  return is_batched(port, item) ? x : repeated(x);
}

Expression BatchContext::padded(std::string_view port, size_t rank, int item) {
  std::vector<Dim> dims = this->dims(port, item);
  const Expression x = batched(port, item);
  if (dims.size() >= rank) return x;
  dims.insert(dims.begin(), rank - dims.size(), Dim(1));
  return reshaped(x, dims);
}

Expression BatchContext::shaped_like(std::string_view port, int item) {
  const Expression x = in(port, item);
  if (!is_batched(port, item)) return x;
  return call_in(x, "zeros", {Datum::dims(dims(port, item)), Datum(x.dtype())});
}

std::vector<Operand> BatchContext::operands() const {
  std::vector<Operand> operands;
  for (const Argument& argument : node_.arguments)
    operands.emplace_back(argument, expression(ValueId{}));
  return operands;
}

std::string_view BatchContext::port_of(size_t position) const {
  for (const PortDef& port : node_.op->inputs) {
    const size_t first = node_.argument_index(port.name);
    const size_t count = port.list ? node_.list_size() : 1;
    if (position >= first && position < first + count) return port.name;
  }
  MITHRIL_CHECK(false, "an argument of " + node_.op->name + " without a port");
}

void BatchContext::become_all(const std::vector<Expression>& batched) {
  for (size_t i = 0; i < batched.size(); ++i) become(batched[i], static_cast<int>(i));
}

// Both sides are one value, so their dims are equal, even if inference cannot prove it.
void BatchContext::set(Expression result, bool batched, int index) {
  const auto at = static_cast<size_t>(index);
  const DType dtype = outputs_[at].dtype;
  if (result.dtype() != dtype && is_floating(result.dtype()) && is_floating(dtype))
    result = call("cast", {result, Datum(dtype)});
  std::vector<Dim> dims = outputs_[at].dims;
  if (batched) dims.insert(dims.begin(), size_);
  const std::vector<Dim> made = result.dims();
  if (!result.ranked() || made.size() != dims.size() || result.dtype() != dtype)
    faulty_record(*node_.op, "its batching rule makes an output of another rank or dtype");
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim expected = resolve(dims[i]), size = resolve(made[i]);
    if (expected.is_constant() && size.is_constant() && !same(expected, size))
      faulty_record(*node_.op, "its batching rule makes an output of another size");
    graph_.facts()->unify(dims[i], made[i]);
  }
  graph_.facts()->settle();
  results_[at] = Result{result.id, batched};
}

}  // namespace mithril
