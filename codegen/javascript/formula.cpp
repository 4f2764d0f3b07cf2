#include "codegen/javascript/formula.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "codegen/common/formula_writer.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/javascript/snippets.hpp"

namespace mithril::codegen {
namespace {

// The function that computes a call, and the snippet that defines it, if any.
struct Function {
  const char* text;
  const char* snippet = nullptr;
};

const std::map<std::string_view, Function>& real_functions() {
  static const std::map<std::string_view, Function> functions = {
      {"abs", {"Math.abs"}},
      {"atan", {"Math.atan"}},
      {"atan2", {"Math.atan2"}},
      {"cos", {"Math.cos"}},
      {"erf", {"erf", "error_function"}},
      {"erfc", {"erfc", "error_function"}},
      {"exp", {"Math.exp"}},
      {"expm1", {"Math.expm1"}},
      {"floor", {"Math.floor"}},
      {"lgamma", {"lgamma", "lgamma"}},
      {"log", {"Math.log"}},
      {"log1p", {"Math.log1p"}},
      {"max", {"larger", "numbers"}},
      {"min", {"smaller", "numbers"}},
      {"pow", {"power_of", "numbers"}},
      {"rint", {"rint", "numbers"}},
      {"sin", {"Math.sin"}},
      {"sqrt", {"Math.sqrt"}},
      {"tanh", {"Math.tanh"}},
      {"trunc", {"Math.trunc"}}};
  return functions;
}

// Of ints.
const std::map<std::string_view, Function>& whole_functions() {
  static const std::map<std::string_view, Function> functions = {
      {"*", {"Math.imul"}},  // of int32, whose overflow wraps
      {"<<", {"shifted_left", "numbers"}},
      {">>", {"shifted_right", "numbers"}},
      {"max", {"larger", "numbers"}},
      {"min", {"smaller", "numbers"}},
      {"pow", {"whole_power", "numbers"}}};
  return functions;
}

class JavaScriptFormula final : public FormulaWriter {
 public:
  using FormulaWriter::FormulaWriter;

 private:
  Piece constant(const Datum& value, DType dtype) const override {
    if (value.kind() == kind::int_value && is_integer(dtype)) {
      const int64_t number = value.integer();
      return {fmt::format("{}{}", number, node_.wide ? "n" : ""),
              number < 0 ? unary_level : primary_level};
    }
    const double real =
        value.kind() == kind::int_value ? static_cast<double>(value.integer()) : value.real();
    if (node_.wide) return constant(Datum(static_cast<int64_t>(real)), dtype);
    return {javascript_number(real, dtype), real < 0 ? unary_level : primary_level};
  }

  Piece converted(const std::string& element, DType from, DType to) override {
    if (node_.wide) return converted_to_wide(element, from);
    if (from == to || is_floating(to)) return {element};
    if (to == DType::boolean) return {element + " != 0", comparison_level};
    if (is_floating(from))
      return snippet_call({to == DType::int32 ? "to_int32" : "to_int64", "numbers"}, element);
    if (from == DType::int64) return {"(" + element + " | 0)"};
    return {"Number(" + element + ")"};  // of a bool, or an int32 as an int64
  }

  static Piece converted_to_wide(const std::string& element, DType from) {
    if (from == DType::int64) return {element};
    if (is_floating(from)) throw NoText();
    return {"BigInt(" + element + ")"};
  }

  Piece converted_expression(const std::string& expression) override {
    return converted("(" + expression + ")", node_.computed, node_.output);
  }

  Piece snippet_call(const Function& function, const std::string& arguments) {
    if (function.snippet) result_.snippets.insert(function.snippet);
    return {std::string(function.text) + "(" + arguments + ")"};
  }

  Piece function(const Formula& call) override {
    if (is_integer_) return whole_call(call);
    const auto at = real_functions().find(call.text);
    if (at == real_functions().end()) throw NoText();
    return snippet_call(at->second, arguments(call));
  }

  Piece whole_call(const Formula& call) {
    const std::string& name = call.text;
    if (name == "floor" || name == "rint" || name == "trunc") return piece(call.children.front());
    if (name == "abs" && !node_.wide) return wrapped("Math.abs(" + arguments(call) + ")");
    return whole_function(call);
  }

  Piece whole_function(const Formula& formula) {
    const bool is_order = formula.text == "max" || formula.text == "min";
    if (node_.wide && !is_order) throw NoText();
    const auto at = whole_functions().find(formula.text);
    if (at == whole_functions().end()) throw NoText();
    if (formula.text == "pow") return wrapped(snippet_call(at->second, arguments(formula)).text);
    if (node_.computed == DType::int64 && formula.text == "<<")
      return snippet_call({"long_shifted_left", "numbers"}, arguments(formula));
    if (node_.computed == DType::int64 && formula.text == ">>")
      return snippet_call({"long_shifted_right", "numbers"}, arguments(formula));
    return snippet_call(at->second, arguments(formula));
  }

  // An int32 modulo 2^32, a BigInt modulo 2^64.
  Piece wrapped(const std::string& expression) const {
    if (node_.wide) return {"BigInt.asIntN(64, " + expression + ")"};
    if (node_.computed == DType::int32) return {"(" + expression + " | 0)"};
    return {"(" + expression + ")"};
  }

  Piece negated_integer(const Formula& operand) override {
    return wrapped((node_.wide ? "0n - " : "0 - ") + text(operand, product_level));
  }

  std::optional<Piece> special_operator(const Formula& binary) override {
    const std::string& sign = binary.text;
    if (is_integer_ && (sign == "+" || sign == "-")) return wrapped(operation(binary, sum_level));
    if (node_.wide && sign == "*") return wrapped(operation(binary, product_level));
    if (is_integer_ && sign == "*" && node_.computed == DType::int64)
      return Piece{operation(binary, product_level) + " + 0", sum_level};  // no -0
    if (is_integer_ && whole_functions().contains(sign)) return whole_function(binary);
    if (sign == "<<" || sign == ">>") throw NoText();
    return std::nullopt;
  }
};

std::optional<FormulaText> javascript_formula(const Formula& formula, const FormulaNode& node) {
  return JavaScriptFormula(node).write(formula);
}

}  // namespace

const Language& javascript_language() {
  static const Language language{.name = "JavaScript",
                                 .formula = javascript_formula,
                                 .snippets = javascript_snippets,
                                 .numbers_are_doubles = true,
                                 .has_blocks = true};
  return language;
}

std::string javascript_number(double number, DType dtype) {
  if (dtype == DType::boolean) return number != 0 ? "1" : "0";
  if (is_integer(dtype)) return fmt::format("{}", static_cast<int64_t>(number));
  const double shown = dtype == DType::float32 ? static_cast<float>(number) : number;
  if (std::isnan(shown)) return "NaN";
  if (std::isinf(shown)) return shown < 0 ? "-Infinity" : "Infinity";
  return fmt::format("{}", shown);
}

std::string javascript_argument(const Datum& datum) {
  switch (datum.kind()) {
    case kind::bool_value:
      return datum.flag() ? "true" : "false";
    case kind::int_value:
      return fmt::format("{}", datum.integer());
    case kind::float_value:
      return javascript_number(datum.real(), DType::float64);
    case kind::tuple: {
      std::string items;
      for (const Datum& item : datum.tuple())
        items += (items.empty() ? "" : ", ") + javascript_argument(item);
      return "[" + items + "]";
    }
    case kind::string:
      return is_word(datum) ? '"' + datum.text() + '"' : "null";
    default:
      return "null";  // dtypes are those of the tensors
  }
}

std::string javascript_array(DType dtype, bool wide) {
  if (wide) return "BigInt64Array";
  switch (dtype) {
    case DType::boolean:
      return "Uint8Array";
    case DType::int32:
      return "Int32Array";
    case DType::int64:
      return "Int64Elements";
    case DType::float32:
      return "Float32Array";
    default:
      return "Float64Array";
  }
}

}  // namespace mithril::codegen
