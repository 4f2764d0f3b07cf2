#include "codegen/common/formula_text.hpp"

#include <map>
#include <string_view>
#include <utility>

#include "codegen/common/formula_writer.hpp"
#include "codegen/common/literals.hpp"

namespace mithril::codegen {
namespace {

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

class CppFormula final : public FormulaWriter {
 public:
  using FormulaWriter::FormulaWriter;

 private:
  Piece constant(const Datum& value, DType dtype) const override {
    if (value.kind() == kind::int_value) return signed_literal(value.integer(), dtype);
    return signed_literal(value.real(), dtype);
  }

  Piece number(double value) const override {
    if (node_.computed == DType::boolean) return {std::to_string(static_cast<int>(value))};
    return FormulaWriter::number(value);
  }

  template <typename Number>
  static Piece signed_literal(Number value, DType dtype) {
    return {literal(value, dtype), value < 0 ? unary_level : primary_level};
  }

  Piece converted(const std::string& element, DType from, DType to) override {
    if (from == to) return {element};
    if (!is_integer(to) || !is_floating(from))
      return {"static_cast<" + type_name(to) + ">(" + element + ")"};
    result_.snippets.insert("to_integer");
    return {"to_integer<" + type_name(to) + ">(" + element + ")"};
  }

  Piece converted_expression(const std::string& expression) override {
    return {"static_cast<" + type_name(node_.output) + ">(" + expression + ")"};
  }

  Piece function(const Formula& call) override {
    if (!standard_functions().contains(call.text)) throw NoText();
    if (is_integer_) return integer_call(call);
    if (node_.computed == DType::float32 && is_float_function(call.text)) {
      result_.snippets.insert("float_functions");
      return {"float_" + call.text + "(" + arguments(call) + ")"};
    }
    const bool typed = call.text == "max" || call.text == "min";
    return {"std::" + call.text + (typed ? "<" + type_name(node_.computed) + ">" : "") + "(" +
            arguments(call) + ")"};
  }

  Piece integer_call(const Formula& call) {
    if (is_rounding(call.text)) return piece(call.children.front());
    if (integer_functions().contains(call.text)) return integer_function(call);
    if (call.text != "max" && call.text != "min") throw NoText();
    return {"std::" + call.text + "<" + type_name(node_.computed) + ">(" + arguments(call) + ")"};
  }

  Piece integer_function(const Formula& formula) {
    result_.snippets.insert("integers");
    return {std::string(integer_functions().at(formula.text)) + "<" + type_name(node_.computed) +
            ">(" + arguments(formula) + ")"};
  }

  Piece negated_integer(const Formula& operand) override {
    result_.snippets.insert("integers");
    return {"wrapping_difference<" + type_name(node_.computed) + ">(0, " + text(operand) + ")"};
  }

  std::optional<Piece> special_operator(const Formula& binary) override {
    if (!is_integer_ || !integer_functions().contains(binary.text)) return std::nullopt;
    return integer_function(binary);
  }
};

}  // namespace

std::optional<FormulaText> formula_text(const Formula& formula, const FormulaNode& node) {
  return CppFormula(node).write(formula);
}

}  // namespace mithril::codegen
