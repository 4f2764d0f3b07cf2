#include "codegen/common/formula_writer.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace mithril::codegen {
namespace {

using Kind = Formula::Kind;

const std::map<std::string_view, int>& levels() {
  static const std::map<std::string_view, int> levels = {
      {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {"<=", 4}, {">", 4},
      {">=", 4}, {"<<", 5}, {">>", 5}, {"+", 6},  {"-", 6}, {"*", 7},  {"/", 7}};
  return levels;
}

}  // namespace

std::optional<FormulaText> FormulaWriter::write(const Formula& formula) try {
  result_.text = piece(formula).text;
  return std::move(result_);
} catch (const NoText&) {
  return std::nullopt;
}

FormulaWriter::Piece FormulaWriter::piece(const Formula& formula) {
  switch (formula.kind) {
    case Kind::port:
      return port(formula.text);
    case Kind::number:
      return number(formula.number);
    case Kind::call:
      if (formula.text == "T") return conversion(formula.children.front());
      return node_.computed == DType::boolean ? truth_call(formula) : function(formula);
    case Kind::unary:
      return unary(formula);
    case Kind::binary:
      return binary(formula);
    case Kind::is_none:
      return number(is_none(formula.text) ? 1 : 0);
    case Kind::choice:
      return choice(formula);
    case Kind::unsupported:
      break;
  }
  throw NoText();
}

std::string FormulaWriter::text(const Formula& formula, int level) {
  const Piece made = piece(formula);
  return made.level < level ? "(" + made.text + ")" : made.text;
}

std::string FormulaWriter::arguments(const Formula& call) {
  std::string all;
  for (const Formula& child : call.children) all += (all.empty() ? "" : ", ") + text(child);
  return all;
}

std::string FormulaWriter::operation(const Formula& binary, int level) {
  std::string written = text(binary.children[0], level);
  written += " " + binary.text + " " + text(binary.children[1], level + 1);
  return written;
}

FormulaWriter::Piece FormulaWriter::port(const std::string& name) {
  const FormulaPort held = node_.port(name);
  if (!held.element.empty()) return converted(held.element, held.dtype, node_.computed);
  if (!(held.value.kind() & kind::number)) throw NoText();
  return constant(held.value, node_.computed);
}

std::string FormulaWriter::truth(const Formula& formula, int level) {
  if (formula.kind == Kind::port) {
    const FormulaPort held = node_.port(formula.text);
    if (!held.element.empty()) return held.element;
  }
  return text(formula, level);
}

FormulaWriter::Piece FormulaWriter::conversion(const Formula& formula) {
  if (formula.kind == Kind::number) return constant(formula.number, node_.output);
  if (formula.kind == Kind::port) {
    const FormulaPort held = node_.port(formula.text);
    if (!held.element.empty()) return converted(held.element, held.dtype, node_.output);
  }
  return converted_expression(text(formula));
}

FormulaWriter::Piece FormulaWriter::truth_call(const Formula& call) {
  if (call.text == "abs") return piece(call.children.front());
  if (call.text != "pow") throw NoText();
  const Formula inverted{.kind = Kind::unary, .text = "!", .children = {call.children[1]}};
  return logical(call.children[0], "||", inverted);
}

FormulaWriter::Piece FormulaWriter::unary(const Formula& formula) {
  const Formula& operand = formula.children.front();
  if (formula.text == "!") return negated_truth(operand);
  if (is_integer_ && operand.kind != Kind::number) return negated_integer(operand);
  if (node_.computed == DType::boolean) return piece(operand);
  return {"-" + text(operand, primary_level), unary_level};
}

FormulaWriter::Piece FormulaWriter::binary(const Formula& formula) {
  if (std::optional<Piece> special = special_operator(formula)) return *std::move(special);
  const std::string& sign = sign_of(formula);
  if (sign == "&&" || sign == "||") return logical(formula.children[0], sign, formula.children[1]);
  const int level = levels().at(sign);
  std::string written = text(formula.children[0], level);
  written += " " + sign + " " + text(formula.children[1], level + 1);
  return {std::move(written), level};
}

FormulaWriter::Piece FormulaWriter::logical(const Formula& left, const std::string& sign,
                                            const Formula& right) {
  const int level = levels().at(sign);
  // && inside of || gets parentheses for clarity.
  const int looser = sign == "||" ? comparison_level : level;
  std::string written = truth(left, looser);
  written += " " + sign + " " + truth(right, looser + 1);
  return {std::move(written), level};
}

FormulaWriter::Piece FormulaWriter::negated_truth(const Formula& operand) {
  return {"!" + truth(operand, unary_level), unary_level};
}

FormulaWriter::Piece FormulaWriter::selected(const Formula& condition, const Formula& yes,
                                             const Formula& no) {
  std::string written = truth(condition, 1);
  written += " ? " + text(yes, 1);
  written += " : " + text(no);
  return {std::move(written), loosest};
}

// The operator on bools that replaces arithmetic followed by a comparison with 0.
const std::string& FormulaWriter::sign_of(const Formula& binary) const {
  static const std::map<std::string, std::string> of_truths = {
      {"+", "||"}, {"-", "!="}, {"*", "&&"}};
  const auto at = of_truths.find(binary.text);
  return node_.computed == DType::boolean && at != of_truths.end() ? at->second : binary.text;
}

bool FormulaWriter::is_none(const std::string& name) const {
  const FormulaPort held = node_.port(name);
  return held.element.empty() && held.value.is_none();
}

// A condition on a value is evaluated while writing.
FormulaWriter::Piece FormulaWriter::choice(const Formula& formula) {
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
  return selected(condition, formula.children[1], formula.children[2]);
}

}  // namespace mithril::codegen
