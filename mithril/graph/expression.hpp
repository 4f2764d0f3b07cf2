// Builds nodes like a formula: `dy * (y - y * y)`.
#pragma once
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// A value of a graph under construction. New names have the prefix `scope`, which outlives it.
struct Expression {
  Graph* graph = nullptr;
  ValueId id{};
  const std::string* scope = nullptr;

  const Value& value() const;
  DType dtype() const;
  bool ranked() const;
  const std::vector<Dim>& dims() const;
};

// An argument of an op: an expression or a value.
class Operand {
 public:
  Operand(const Expression& expression);
  Operand(Datum datum);
  Operand(double number);
  Operand(int number);
  Operand(bool flag);
  Operand(Argument argument, Expression like);

  Argument argument() const;
  const Expression* expression() const { return is_tensor_ ? &expression_ : nullptr; }

 private:
  Expression expression_;
  Datum datum_;
  bool is_tensor_ = false;
};

// Adds a node of that op; at least one operand is an expression. Operands are in port order, list
// ports are expanded, and omitted trailing ports have their defaults. A list in braces is not a
// vector: the hundreds of calls in gradients compile in half of the time.
Expression call(std::string_view op, std::initializer_list<Operand> operands);
Expression call(std::string_view op, std::span<const Operand> operands);
std::vector<Expression> call_all(std::string_view op,
                                 std::initializer_list<Operand> operands);  // every output
std::vector<Expression> call_all(std::string_view op, std::span<const Operand> operands);
// For ops without tensor operands (ones, arange).
Expression call_in(const Expression& like, std::string_view op,
                   std::initializer_list<Operand> operands);
Expression call_in(const Expression& like, std::string_view op, std::span<const Operand> operands);

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
