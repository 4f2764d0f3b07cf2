#include "mithril/graph/expression.hpp"

#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

std::vector<Expression> add_node(Graph& graph, const std::string& scope, std::string_view name,
                                 std::span<const Operand> operands) {
  const OpDef& op = find_op(name);
  std::vector<Argument> arguments;
  for (const Operand& operand : operands) arguments.push_back(operand.argument());
  const std::string value_name = scope + "." + op.name + "_" + std::to_string(graph.nodes().size());
  std::vector<Expression> results;
  for (const ValueId id : graph.add(op, std::move(arguments), value_name))
    results.push_back({&graph, id, &scope});
  return results;
}

}  // namespace

const Value& Expression::value() const { return graph->value(id); }
DType Expression::dtype() const { return value().dtype; }
bool Expression::ranked() const { return value().ranked; }
const std::vector<Dim>& Expression::dims() const { return value().dims; }

Operand::Operand(const Expression& expression) : expression_(expression), is_tensor_(true) {}
Operand::Operand(Datum datum) : datum_(std::move(datum)) {}
Operand::Operand(double number) : datum_(number) {}
Operand::Operand(int number) : datum_(number) {}
Operand::Operand(bool flag) : datum_(flag) {}

Operand::Operand(Argument argument, Expression like) {
  if (const ValueId* id = tensor_of(argument)) {
    expression_ = {like.graph, *id, like.scope};
    is_tensor_ = true;
  } else {
    datum_ = std::get<Datum>(std::move(argument));
  }
}

Argument Operand::argument() const {
  return is_tensor_ ? Argument(expression_.id) : Argument(datum_);
}

std::vector<Expression> call_all(std::string_view op, std::initializer_list<Operand> operands) {
  return call_all(op, std::span<const Operand>(operands));
}

std::vector<Expression> call_all(std::string_view op, std::span<const Operand> operands) {
  for (const Operand& operand : operands) {
    if (const Expression* e = operand.expression())
      return add_node(*e->graph, *e->scope, op, operands);
  }
  MITHRIL_CHECK(false, "call of " + std::string(op) + " without a tensor: use call_in");
  std::abort();
}

Expression call(std::string_view op, std::initializer_list<Operand> operands) {
  return call_all(op, operands).front();
}

Expression call(std::string_view op, std::span<const Operand> operands) {
  return call_all(op, operands).front();
}

Expression call_in(const Expression& like, std::string_view op,
                   std::initializer_list<Operand> operands) {
  return call_in(like, op, std::span<const Operand>(operands));
}

Expression call_in(const Expression& like, std::string_view op, std::span<const Operand> operands) {
  return add_node(*like.graph, *like.scope, op, operands).front();
}

Expression operator+(const Expression& a, const Operand& b) { return call("add", {a, b}); }
Expression operator-(const Expression& a, const Operand& b) { return call("subtract", {a, b}); }
Expression operator*(const Expression& a, const Operand& b) { return call("multiply", {a, b}); }
Expression operator/(const Expression& a, const Operand& b) { return call("divide", {a, b}); }
Expression operator-(const Expression& a) { return call("negate", {a}); }
Expression operator+(double a, const Expression& b) { return call("add", {a, b}); }
Expression operator-(double a, const Expression& b) { return call("subtract", {a, b}); }
Expression operator*(double a, const Expression& b) { return call("multiply", {a, b}); }
Expression operator/(double a, const Expression& b) { return call("divide", {a, b}); }

}  // namespace mithril
