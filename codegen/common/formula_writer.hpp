// A record's formula as an expression, for one node. Operators are those of C unless a language
// overrides them.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "mithril/infer/datum.hpp"
#include "mithril/op/formula.hpp"

namespace mithril::codegen {

// The contents of a port: the element of a tensor, by its name, or a value.
struct FormulaPort {
  std::string element = {};
  DType dtype = DType::float32;  // of the element
  Datum value = {};              // if there is no element
};

struct FormulaNode {
  DType computed;  // the dtype to which operands are converted
  DType output;    // T
  std::function<FormulaPort(const std::string& name)> port;
  bool wide = false;  // its ints of 64 bits are BigInts of JavaScript
};

struct FormulaText {
  std::string text;
  std::set<std::string> snippets = {};  // the snippets that it calls
};

// Asks for ports in the order of the text, whatever compiler built it: a port may declare a
// variable where it is first read.
class FormulaWriter {
 public:
  explicit FormulaWriter(const FormulaNode& node)
      : node_(node), is_integer_(is_integer(node.computed)) {}
  virtual ~FormulaWriter() = default;

  // None if the node is in a branch without an expression, or calls a function that the language
  // lacks.
  std::optional<FormulaText> write(const Formula& formula);

 protected:
  // Thrown where the language has no expression.
  struct NoText {};
  // The precedence of operators. Operands of lower precedence get parentheses.
  static constexpr int loosest = 0, comparison_level = 3, sum_level = 6, product_level = 7,
                       unary_level = 8, primary_level = 9;
  struct Piece {
    std::string text;
    int level = primary_level;
  };

  // Each language overrides these.
  virtual Piece constant(const Datum& value, DType dtype) const = 0;
  // A number of the formula, which a comparison of bools may have.
  virtual Piece number(double value) const { return constant(value, node_.computed); }
  virtual Piece converted(const std::string& element, DType from, DType to) = 0;
  virtual Piece converted_expression(const std::string& expression) = 0;  // to the output's dtype
  virtual Piece function(const Formula& call) = 0;                        // of numbers
  virtual Piece negated_integer(const Formula& operand) = 0;
  // None: the operator of the same sign computes it.
  virtual std::optional<Piece> special_operator(const Formula& binary) = 0;
  // Operators of truths: `sign` is "&&" or "||".
  virtual Piece logical(const Formula& left, const std::string& sign, const Formula& right);
  virtual Piece negated_truth(const Formula& operand);
  virtual Piece selected(const Formula& condition, const Formula& yes, const Formula& no);

  // All languages share these.
  Piece piece(const Formula& formula);
  std::string text(const Formula& formula, int level = loosest);
  // An element that is only tested for truth is unchanged.
  std::string truth(const Formula& formula, int level = loosest);
  std::string arguments(const Formula& call);  // "a, b"
  // "a + b", of an operator of this precedence. Operators of equal precedence group to the left.
  std::string operation(const Formula& binary, int level);

  const FormulaNode& node_;
  bool is_integer_;
  FormulaText result_;

 private:
  Piece port(const std::string& name);
  Piece conversion(const Formula& formula);
  Piece truth_call(const Formula& call);
  Piece unary(const Formula& formula);
  Piece binary(const Formula& formula);
  const std::string& sign_of(const Formula& binary) const;
  bool is_none(const std::string& name) const;
  Piece choice(const Formula& formula);
};

}  // namespace mithril::codegen
