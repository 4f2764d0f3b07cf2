// Builds nodes like a formula: `dy * (y - y * y)`.
#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// A value of a graph under construction. New names have the prefix `scope`, which outlives it.
struct Expression {
  Graph* graph = nullptr;
  ValueId id{};
  const std::string* scope = nullptr;

  const Value& value() const { return graph->value(id); }
  DType dtype() const { return value().dtype; }
  bool ranked() const { return value().ranked; }
  const std::vector<Dim>& dims() const { return value().dims; }
};

// An argument of an op: an expression or a value.
class Operand {
 public:
  Operand(Expression expression) : expression_(expression), is_tensor_(true) {}
  Operand(Datum datum) : datum_(std::move(datum)) {}
  Operand(double number) : datum_(number) {}
  Operand(int number) : datum_(number) {}
  Operand(bool flag) : datum_(flag) {}
  Operand(Argument argument, Expression like);

  Argument argument() const { return is_tensor_ ? Argument(expression_.id) : Argument(datum_); }
  const Expression* expression() const { return is_tensor_ ? &expression_ : nullptr; }

 private:
  Expression expression_;
  Datum datum_;
  bool is_tensor_ = false;
};

// Adds a node of that op; at least one operand is an expression. Operands are in port order, list
// ports are expanded, and omitted trailing ports have their defaults.
Expression call(std::string_view op, std::vector<Operand> operands);
std::vector<Expression> call_all(std::string_view op,
                                 std::vector<Operand> operands);  // every output
// For ops without tensor operands (ones, arange).
Expression call_in(const Expression& like, std::string_view op, std::vector<Operand> operands);

Expression operator+(const Expression& a, const Operand& b);
Expression operator-(const Expression& a, const Operand& b);
Expression operator*(const Expression& a, const Operand& b);
Expression operator/(const Expression& a, const Operand& b);
Expression operator-(const Expression& a);
Expression operator+(double a, const Expression& b);
Expression operator-(double a, const Expression& b);
Expression operator*(double a, const Expression& b);
Expression operator/(double a, const Expression& b);

}  // namespace mithril
