#include "codegen/javascript_formula.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "codegen/javascript_snippets.hpp"
#include "codegen/literals.hpp"

namespace mithril::codegen {
namespace {

using Kind = Formula::Kind;

constexpr int loose = 0, prefix_level = 8, atom_level = 9;
const std::map<std::string_view, int>& javascript_levels() {
  static const std::map<std::string_view, int> levels = {
      {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {"<=", 4}, {">", 4},
      {">=", 4}, {"<<", 5}, {">>", 5}, {"+", 6},  {"-", 6}, {"*", 7},  {"/", 7}};
  return levels;
}

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

// Of int32, whose overflow wraps.
const std::map<std::string_view, Function>& whole_functions() {
  static const std::map<std::string_view, Function> functions = {
      {"*", {"Math.imul"}},
      {"<<", {"shifted_left", "numbers"}},
      {">>", {"shifted_right", "numbers"}},
      {"max", {"larger", "numbers"}},
      {"min", {"smaller", "numbers"}},
      {"pow", {"whole_power", "numbers"}}};
  return functions;
}

struct NoJavaScript {};

struct Part {
  std::string text;
  int level = atom_level;
};

class JavaScriptFormula {
 public:
  explicit JavaScriptFormula(const FormulaNode& node)
      : node_(node), is_integer_(is_integer(node.computed)) {}

  FormulaText write(const Formula& formula) {
    result_.text = part(formula).text;
    return std::move(result_);
  }

 private:
  Part part(const Formula& formula) {
    switch (formula.kind) {
      case Kind::port:
        return port(formula.text);
      case Kind::number:
        return number(formula.number);
      case Kind::call:
        return call(formula);
      case Kind::unary:
        return unary(formula);
      case Kind::binary:
        return binary(formula);
      case Kind::is_none:
        return number(is_none(formula.text));
      case Kind::choice:
        return choice(formula);
      case Kind::unsupported:
        break;
    }
    throw NoJavaScript();
  }

  std::string text(const Formula& formula, int level = loose) {
    const Part made = part(formula);
    return made.level < level ? "(" + made.text + ")" : made.text;
  }

  Part number(double value) const {
    return {javascript_number(value, node_.computed), value < 0 ? prefix_level : atom_level};
  }

  Part port(const std::string& name) {
    const FormulaPort held = node_.port(name);
    if (!held.element.empty()) return converted(held.element, held.dtype, node_.computed);
    if (!(held.value.kind() & kind::number)) throw NoJavaScript();
    return number(held.value.kind() == kind::int_value ? static_cast<double>(held.value.integer())
                                                       : held.value.real());
  }

  Part converted(const std::string& element, DType from, DType to) {
    if (from == to || is_floating(to)) return {element};
    if (to == DType::boolean) return {element + " != 0", 3};
    if (is_floating(from))
      return snippet_call({to == DType::int32 ? "to_int32" : "to_int64", "numbers"}, element);
    if (from == DType::int64) return {"(" + element + " | 0)"};
    return {"Number(" + element + ")"};  // of a bool, or an int32 as an int64
  }

  Part snippet_call(const Function& function, const std::string& arguments) {
    if (function.snippet) result_.snippets.insert(function.snippet);
    return {std::string(function.text) + "(" + arguments + ")"};
  }

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

  Part call(const Formula& formula) {
    if (formula.text == "T") return conversion(formula.children.front());
    if (node_.computed == DType::boolean) return truth_call(formula);
    if (is_integer_) return whole_call(formula);
    const auto at = real_functions().find(formula.text);
    if (at == real_functions().end()) throw NoJavaScript();
    return snippet_call(at->second, arguments(formula));
  }

  Part conversion(const Formula& formula) {
    if (formula.kind == Kind::number) {
      return {javascript_number(formula.number, node_.output),
              formula.number < 0 ? prefix_level : atom_level};
    }
    if (formula.kind == Kind::port) {
      const FormulaPort held = node_.port(formula.text);
      if (!held.element.empty()) return converted(held.element, held.dtype, node_.output);
    }
    return converted("(" + text(formula) + ")", node_.computed, node_.output);
  }

  Part whole_call(const Formula& formula) {
    const std::string& name = formula.text;
    if (name == "floor" || name == "rint" || name == "trunc") return part(formula.children.front());
    if (name == "abs") return wrapped("Math.abs(" + arguments(formula) + ")");
    return whole_function(formula);
  }

  // Int64 has no bits in a double.
  Part whole_function(const Formula& formula) {
    const bool is_order = formula.text == "max" || formula.text == "min";
    const auto at = whole_functions().find(formula.text);
    if (at == whole_functions().end()) throw NoJavaScript();
    if (formula.text == "pow") return wrapped(snippet_call(at->second, arguments(formula)).text);
    if (node_.computed == DType::int64 && !is_order) throw NoJavaScript();
    return snippet_call(at->second, arguments(formula));
  }

  // An int32 modulo 2^32.
  Part wrapped(const std::string& expression) const {
    if (node_.computed == DType::int32) return {"(" + expression + " | 0)"};
    return {"(" + expression + ")"};
  }

  Part truth_call(const Formula& formula) {
    if (formula.text == "abs") return part(formula.children.front());
    if (formula.text != "pow") throw NoJavaScript();
    return {text(formula.children[0], 1) + " || !" + text(formula.children[1], prefix_level), 1};
  }

  Part unary(const Formula& formula) {
    const Formula& operand = formula.children.front();
    if (formula.text == "!") return {"!" + truth(operand, prefix_level), prefix_level};
    if (is_integer_ && operand.kind != Kind::number) return wrapped("0 - " + text(operand, 7));
    if (node_.computed == DType::boolean) return part(operand);
    return {"-" + text(operand, atom_level), prefix_level};
  }

  Part binary(const Formula& formula) {
    const std::string& sign = sign_of(formula);
    const Formula &left = formula.children[0], &right = formula.children[1];
    const int level = javascript_levels().at(sign);
    if (is_integer_ && (sign == "+" || sign == "-"))
      return wrapped(text(left, level) + " " + sign + " " + text(right, level + 1));
    if (is_integer_ && sign == "*" && node_.computed == DType::int64)
      return {text(left, level) + " * " + text(right, level + 1) + " + 0", 6};  // no -0
    if (is_integer_ && whole_functions().contains(sign)) return whole_function(formula);
    if (sign == "<<" || sign == ">>") throw NoJavaScript();
    const bool logical = sign == "&&" || sign == "||";
    const int looser = sign == "||" ? 3 : level;
    return {(logical ? truth(left, looser) : text(left, looser)) + " " + sign + " " +
                (logical ? truth(right, looser + 1) : text(right, level + 1)),
            level};
  }

  // The operator on bools that replaces arithmetic followed by a comparison with 0.
  const std::string& sign_of(const Formula& formula) const {
    static const std::map<std::string, std::string> of_truths = {
        {"+", "||"}, {"-", "!="}, {"*", "&&"}};
    const auto at = of_truths.find(formula.text);
    return node_.computed == DType::boolean && at != of_truths.end() ? at->second : formula.text;
  }

  bool is_none(const std::string& name) const {
    const FormulaPort held = node_.port(name);
    return held.element.empty() && held.value.is_none();
  }

  // A condition on a value is evaluated while writing.
  Part choice(const Formula& formula) {
    const Formula& condition = formula.children[0];
    if (condition.kind == Kind::is_none)
      return part(formula.children[is_none(condition.text) ? 1 : 2]);
    if (condition.kind == Kind::port) {
      const FormulaPort held = node_.port(condition.text);
      if (held.element.empty()) {
        if (!(held.value.kind() & kind::number)) throw NoJavaScript();
        return part(formula.children[held.value.real() != 0 ? 1 : 2]);
      }
    }
    return {truth(condition, 1) + " ? " + text(formula.children[1], 1) + " : " +
                text(formula.children[2]),
            loose};
  }

  const FormulaNode& node_;
  bool is_integer_;
  FormulaText result_;
};

std::optional<FormulaText> javascript_formula(const Formula& formula, const FormulaNode& node) {
  try {
    return JavaScriptFormula(node).write(formula);
  } catch (const NoJavaScript&) {
    return std::nullopt;
  }
}

}  // namespace

const Language& javascript_language() {
  static const Language language{
      .name = "JavaScript", .formula = javascript_formula, .has_kernel = has_javascript_kernel};
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

std::string javascript_array(DType dtype) {
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
