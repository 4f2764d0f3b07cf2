#include "codegen/formula_text.hpp"

#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "codegen/literals.hpp"

namespace mithril::codegen {
namespace {

using Kind = Formula::Kind;

// The precedence of operators. Operands of lower precedence get parentheses.
constexpr int loosest = 0, unary_level = 8, primary_level = 9;
const std::map<std::string_view, int>& levels() {
  static const std::map<std::string_view, int> levels = {
      {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {"<=", 4}, {">", 4},
      {">=", 4}, {"<<", 5}, {">>", 5}, {"+", 6},  {"-", 6}, {"*", 7},  {"/", 7}};
  return levels;
}

// For ints, whose overflow is undefined in C++ and wraps here.
const std::map<std::string_view, const char*>& integer_functions() {
  static const std::map<std::string_view, const char*> functions = {
      {"+", "wrapping_sum"},  {"-", "wrapping_difference"}, {"*", "wrapping_product"},
      {"<<", "shifted_left"}, {">>", "shifted_right"},      {"abs", "wrapping_magnitude"},
      {"pow", "whole_power"}};
  return functions;
}

const std::set<std::string_view>& standard_functions() {
  static const std::set<std::string_view> functions = {
      "abs", "atan",  "atan2", "cos", "erf",  "erfc", "exp",   "expm1", "floor", "lgamma",
      "log", "log1p", "rint",  "sin", "sqrt", "tanh", "trunc", "pow",   "max",   "min"};
  return functions;
}

// Functions of float32 without branches. The functions of std keep compilers from vectorising a
// loop.
bool is_float_function(std::string_view name) {
  return name == "exp" || name == "tanh" || name == "erf";
}

// Ints do not change.
bool is_rounding(std::string_view name) {
  return name == "floor" || name == "rint" || name == "trunc";
}

struct NoText {};

struct Piece {
  std::string text;
  int level = primary_level;
};

// Asks for ports in the order of the text, whatever compiler built it: a port may declare a
// variable where it is first read.
class FormulaWriter {
 public:
  explicit FormulaWriter(const FormulaNode& node)
      : node_(node), is_integer_(is_integer(node.computed)) {}

  FormulaText write(const Formula& formula) {
    result_.text = piece(formula).text;
    return std::move(result_);
  }

 private:
  Piece piece(const Formula& formula) {
    switch (formula.kind) {
      case Kind::port:
        return port(formula.text);
      case Kind::number:
        return {number(formula.number)};
      case Kind::call:
        return call(formula);
      case Kind::unary:
        return unary(formula);
      case Kind::binary:
        return binary(formula);
      case Kind::is_none:
        return {number(is_none(formula.text))};
      case Kind::choice:
        return choice(formula);
      case Kind::unsupported:
        break;
    }
    throw NoText();
  }

  std::string text(const Formula& formula, int level = loosest) {
    const Piece made = piece(formula);
    return made.level < level ? "(" + made.text + ")" : made.text;
  }

  std::string number(double value) const {
    if (node_.computed == DType::boolean) return std::to_string(static_cast<int>(value));
    return literal(value, node_.computed);
  }

  Piece port(const std::string& name) {
    const FormulaPort held = node_.port(name);
    if (!held.element.empty()) return converted(held.element, held.dtype, node_.computed);
    if (held.value.kind() == kind::int_value) return signed_literal(held.value.integer());
    if (held.value.kind() & kind::number) return signed_literal(held.value.real());
    throw NoText();
  }

  template <typename Number>
  Piece signed_literal(Number value) const {
    return {literal(value, node_.computed), value < 0 ? unary_level : primary_level};
  }

  Piece converted(const std::string& element, DType from, DType to) {
    if (from == to) return {element};
    if (!is_integer(to) || !is_floating(from))
      return {"static_cast<" + type_name(to) + ">(" + element + ")"};
    result_.snippets.insert("to_integer");
    return {"to_integer<" + type_name(to) + ">(" + element + ")"};
  }

  // An element that is only tested for truth, unchanged.
  std::string truth(const Formula& formula, int level) {
    if (formula.kind == Kind::port) {
      const FormulaPort held = node_.port(formula.text);
      if (!held.element.empty()) return held.element;
    }
    return text(formula, level);
  }

  std::string arguments(const Formula& formula) {
    std::string all;
    for (const Formula& child : formula.children) all += (all.empty() ? "" : ", ") + text(child);
    return all;
  }

  Piece call(const Formula& formula) {
    if (formula.text == "T") return conversion(formula.children.front());
    if (!standard_functions().contains(formula.text)) throw NoText();
    if (is_integer_) return integer_call(formula);
    if (node_.computed == DType::boolean) return truth_call(formula);
    if (node_.computed == DType::float32 && is_float_function(formula.text)) {
      result_.snippets.insert("float_functions");
      return {"float_" + formula.text + "(" + arguments(formula) + ")"};
    }
    const bool typed = formula.text == "max" || formula.text == "min";
    return {"std::" + formula.text + (typed ? "<" + type_name(node_.computed) + ">" : "") + "(" +
            arguments(formula) + ")"};
  }

  Piece conversion(const Formula& formula) {
    if (formula.kind == Kind::number) return {literal(formula.number, node_.output)};
    if (formula.kind == Kind::port) {
      const FormulaPort held = node_.port(formula.text);
      if (!held.element.empty()) return converted(held.element, held.dtype, node_.output);
    }
    return {"static_cast<" + type_name(node_.output) + ">(" + text(formula) + ")"};
  }

  Piece integer_call(const Formula& formula) {
    if (is_rounding(formula.text)) return piece(formula.children.front());
    if (integer_functions().contains(formula.text)) return integer_function(formula);
    if (formula.text != "max" && formula.text != "min") throw NoText();
    return {"std::" + formula.text + "<" + type_name(node_.computed) + ">(" + arguments(formula) +
            ")"};
  }

  Piece integer_function(const Formula& formula) {
    result_.snippets.insert("integers");
    return {std::string(integer_functions().at(formula.text)) + "<" + type_name(node_.computed) +
            ">(" + arguments(formula) + ")"};
  }

  Piece truth_call(const Formula& formula) {
    if (formula.text == "abs") return piece(formula.children.front());
    if (formula.text != "pow") throw NoText();
    std::string written = text(formula.children[0], 1);
    written += " || !" + text(formula.children[1], unary_level);
    return {std::move(written), 1};
  }

  Piece unary(const Formula& formula) {
    if (formula.text == "!")
      return {"!" + truth(formula.children.front(), unary_level), unary_level};
    if (is_integer_ && formula.children.front().kind != Kind::number) {
      result_.snippets.insert("integers");
      return {"wrapping_difference<" + type_name(node_.computed) + ">(0, " +
              text(formula.children.front()) + ")"};
    }
    if (node_.computed == DType::boolean) return piece(formula.children.front());
    return {"-" + text(formula.children.front(), primary_level), unary_level};
  }

  Piece binary(const Formula& formula) {
    if (is_integer_ && integer_functions().contains(formula.text)) return integer_function(formula);
    const std::string& sign = sign_of(formula);
    const int level = levels().at(sign);
    const bool logical = sign == "&&" || sign == "||";
    const Formula &left = formula.children[0], &right = formula.children[1];
    // Operators of equal precedence group to the left. && inside of || gets parentheses for
    // clarity.
    const int looser = sign == "||" ? 3 : level;
    std::string written = logical ? truth(left, looser) : text(left, looser);
    written += " " + sign + " " + (logical ? truth(right, looser + 1) : text(right, level + 1));
    return {std::move(written), level};
  }

  // The operator on bools that replaces arithmetic followed by a comparison with 0.
  const std::string& sign_of(const Formula& formula) const {
    static const std::map<std::string, std::string> of_truths = {
        {"+", "||"}, {"-", "!="}, {"*", "&&"}};
    const auto at = of_truths.find(formula.text);
    const bool truths = node_.computed == DType::boolean && at != of_truths.end();
    return truths ? at->second : formula.text;
  }

  bool is_none(const std::string& name) const {
    const FormulaPort held = node_.port(name);
    return held.element.empty() && held.value.is_none();
  }

  // A condition on a value is evaluated while writing.
  Piece choice(const Formula& formula) {
    const Formula& condition = formula.children[0];
    if (condition.kind == Kind::is_none)
      return piece(formula.children[is_none(condition.text) ? 1 : 2]);
    if (condition.kind == Kind::port) {
      const FormulaPort held = node_.port(condition.text);
      if (held.element.empty()) {
        if (!(held.value.kind() & kind::number)) throw NoText();
        return piece(formula.children[held.value.real() != 0 ? 1 : 2]);
      }
    }
    std::string written = truth(condition, 1);
    written += " ? " + text(formula.children[1], 1);
    written += " : " + text(formula.children[2]);
    return {std::move(written), loosest};
  }

  const FormulaNode& node_;
  bool is_integer_;
  FormulaText result_;
};

}  // namespace

std::optional<FormulaText> formula_text(const Formula& formula, const FormulaNode& node) {
  try {
    return FormulaWriter(node).write(formula);
  } catch (const NoText&) {
    return std::nullopt;
  }
}

}  // namespace mithril::codegen
