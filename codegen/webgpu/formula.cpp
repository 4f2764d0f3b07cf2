#include "codegen/webgpu/formula.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "codegen/common/formula_writer.hpp"
#include "codegen/webgpu/snippets.hpp"
#include "mithril/base/error.hpp"

namespace mithril::codegen {
namespace {

using Kind = Formula::Kind;

const std::map<std::string_view, const char*>& float_functions() {
  static const std::map<std::string_view, const char*> functions = {
      {"abs", "abs"},      {"atan", "atan"},      {"atan2", "atan2"},    {"cos", "cos_of"},
      {"erf", "erf_of"},   {"exp", "exp"},        {"expm1", "expm1_of"}, {"floor", "floor"},
      {"log", "log"},      {"log1p", "log1p_of"}, {"max", "larger_of"},  {"min", "smaller_of"},
      {"pow", "power_of"}, {"rint", "round"},     {"sin", "sin_of"},     {"sqrt", "sqrt"},
      {"tanh", "tanh_of"}, {"trunc", "trunc"}};
  return functions;
}

const std::map<std::string_view, const char*>& int_functions() {
  static const std::map<std::string_view, const char*> functions = {
      {"<<", "shifted_left"}, {">>", "shifted_right"}, {"abs", "abs"},
      {"max", "max"},         {"min", "min"},          {"pow", "whole_power"}};
  return functions;
}

bool is_comparison(std::string_view sign) {
  return sign == "==" || sign == "!=" || sign == "<" || sign == "<=" || sign == ">" || sign == ">=";
}

std::string float_text(double number) {
  const auto shown = static_cast<float>(number);
  if (std::isnan(shown)) return "not_a_number()";  // WGSL has no literals of these
  if (std::isinf(shown)) return shown < 0 ? "-infinity()" : "infinity()";
  return fmt::format("{}f", shown);
}

// Expressions of WGSL are numbers or bools, and convert explicitly.
class WebGpuFormula final : public FormulaWriter {
 public:
  using FormulaWriter::FormulaWriter;

  // The formula as a number of the output's type; a bool as u32.
  std::optional<FormulaText> write_element(const Formula& formula) {
    std::optional<FormulaText> written = write(formula);
    if (!written) return std::nullopt;
    const bool makes_bool = node_.output == DType::boolean;
    std::string& text = written->text;
    if (makes_bool && !is_truth(formula)) text = "(" + text + ") != " + zero(node_.computed);
    if (makes_bool || is_truth(formula)) text = webgpu_type(node_.output) + "(" + text + ")";
    return written;
  }

 private:
  bool computes_bools() const { return node_.computed == DType::boolean; }

  // Whether the text of the formula is a bool.
  bool is_truth(const Formula& formula) const {
    if (formula.kind == Kind::call && formula.text == "T") return node_.output == DType::boolean;
    if (formula.kind == Kind::unary && formula.text == "!") return true;
    if (formula.kind == Kind::binary &&
        (is_comparison(formula.text) || formula.text == "&&" || formula.text == "||"))
      return true;
    return computes_bools();
  }

  static std::string zero(DType dtype) {
    if (dtype == DType::boolean) return "0u";
    return is_floating(dtype) ? "0f" : "0i";
  }

  Piece constant(const Datum& value, DType dtype) const override {
    const bool is_whole = value.kind() == kind::int_value;
    const double real = is_whole ? static_cast<double>(value.integer()) : value.real();
    if (dtype == DType::boolean) return {real != 0 ? "true" : "false"};
    const int level = std::signbit(real) ? unary_level : primary_level;
    if (is_floating(dtype)) return {float_text(real), level};
    const int64_t number = is_whole ? value.integer() : static_cast<int64_t>(real);
    if (!fits_webgpu(number)) throw NoText();
    return {fmt::format("{}i", number), level};
  }

  Piece converted(const std::string& element, DType from, DType to) override {
    if (to == DType::boolean) return {element + " != " + zero(from), comparison_level};
    if (webgpu_type(from) == webgpu_type(to)) return {element};
    if (is_floating(from)) return {"int_of(" + element + ")"};
    return {webgpu_type(to) + "(" + element + ")"};
  }

  Piece converted_expression(const std::string& expression) override {
    if (computes_bools() && node_.output == DType::boolean) return {"(" + expression + ")"};
    if (computes_bools()) return {webgpu_type(node_.output) + "(" + expression + ")"};
    return converted("(" + expression + ")", node_.computed, node_.output);
  }

  // The operand as a bool.
  std::string condition(const Formula& formula, int level) {
    Piece made;
    if (formula.kind == Kind::port) {
      const FormulaPort held = node_.port(formula.text);
      if (held.element.empty()) return number_text(formula, level);
      made = converted(held.element, held.dtype, DType::boolean);
    } else {
      made = piece(formula);
      if (!is_truth(formula))
        made = {number_text(formula, sum_level) + " != " + zero(node_.computed), comparison_level};
    }
    return made.level <= level ? "(" + made.text + ")" : made.text;
  }

  // The operand as a number, or as a bool if the node computes with bools.
  std::string number_text(const Formula& formula, int level) {
    if (is_truth(formula) && !computes_bools())
      return webgpu_type(node_.computed) + "(" + text(formula) + ")";
    return text(formula, level);
  }

  std::string numbers(const Formula& call) {
    std::string all;
    for (const Formula& child : call.children)
      all += (all.empty() ? "" : ", ") + number_text(child, loosest);
    return all;
  }

  Piece function(const Formula& call) override {
    const std::string& name = call.text;
    const bool rounds = name == "floor" || name == "rint" || name == "trunc";
    if (is_integer_ && rounds) return piece(call.children.front());
    const auto& functions = is_integer_ ? int_functions() : float_functions();
    const auto at = functions.find(name);
    if (at == functions.end()) throw NoText();
    return {std::string(at->second) + "(" + numbers(call) + ")"};
  }

  Piece negated_integer(const Formula& operand) override {
    return {"-" + number_text(operand, primary_level), unary_level};
  }

  std::optional<Piece> special_operator(const Formula& binary) override {
    const std::string& sign = binary.text;
    if (sign == "<<" || sign == ">>") {
      if (!is_integer_) throw NoText();
      return Piece{std::string(int_functions().at(sign)) + "(" + numbers(binary) + ")"};
    }
    if (is_comparison(sign)) return comparison(binary);
    if (computes_bools() || sign == "&&" || sign == "||") return std::nullopt;
    const int level = sign == "+" || sign == "-" ? sum_level : product_level;
    std::string written = number_text(binary.children[0], level);
    written += " " + sign + " " + number_text(binary.children[1], level + 1);
    return Piece{std::move(written), level};
  }

  Piece comparison(const Formula& binary) {
    const std::string left = number_text(binary.children[0], sum_level);
    const std::string right = number_text(binary.children[1], sum_level);
    const std::string& sign = binary.text;
    // Compilers may assume that no element is NaN.
    if (sign == "!=" && left == right && is_floating(node_.computed))
      return {"is_nan(" + left + ")"};
    const bool orders_bools = computes_bools() && sign != "==" && sign != "!=";
    if (!computes_bools()) return {left + " " + sign + " " + right, comparison_level};
    if (!orders_bools) return {"(" + left + ") " + sign + " (" + right + ")", comparison_level};
    return {"u32(" + left + ") " + sign + " u32(" + right + ")", comparison_level};
  }

  // WGSL groups neither && in || nor the reverse, so operands that are operators get parentheses.
  Piece logical(const Formula& left, const std::string& sign, const Formula& right) override {
    std::string written = condition(left, comparison_level);
    written += " " + sign + " " + condition(right, comparison_level);
    return {std::move(written), loosest};
  }

  Piece negated_truth(const Formula& operand) override {
    return {"!" + condition(operand, sum_level), unary_level};
  }

  Piece selected(const Formula& choice, const Formula& yes, const Formula& no) override {
    const std::string chosen = condition(choice, loosest), taken = number_text(yes, loosest);
    return {"select(" + number_text(no, loosest) + ", " + taken + ", " + chosen + ")"};
  }
};

std::optional<FormulaText> webgpu_formula(const Formula& formula, const FormulaNode& node) {
  for (const DType dtype : {node.computed, node.output}) {
    if (!webgpu_language().has_type(dtype)) return std::nullopt;
  }
  return WebGpuFormula(node).write_element(formula);
}

bool webgpu_has_type(DType dtype) {
  return dtype == DType::float32 || dtype == DType::boolean || dtype == DType::int32 ||
         dtype == DType::int64;
}

}  // namespace

const Language& webgpu_language() {
  static const Language language{.name = "WebGPU",
                                 .formula = webgpu_formula,
                                 .snippets = webgpu_snippets,
                                 .has_type = webgpu_has_type,
                                 .most_operands = 8};  // buffers that every device binds
  return language;
}

std::string webgpu_type(DType dtype) {
  MITHRIL_CHECK(webgpu_has_type(dtype), "WebGPU has no such type");
  if (dtype == DType::boolean) return "u32";
  return is_floating(dtype) ? "f32" : "i32";
}

bool fits_webgpu(int64_t number) { return number >= INT32_MIN && number <= INT32_MAX; }

}  // namespace mithril::codegen
