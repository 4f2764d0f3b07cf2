#include "mithril/check/evaluate_formula.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mithril/base/error.hpp"

namespace mithril::check {
namespace {

using Kind = Formula::Kind;

struct Unsupported {};

[[noreturn]] void refuse(const std::string& what) {
  throw InternalError("the formula has " + what + ", which generated C++ does not have here");
}

using Unary = double (*)(double);
const std::map<std::string_view, Unary>& functions() {
  static const std::map<std::string_view, Unary> all = {
      {"abs", [](double x) { return std::abs(x); }},
      {"atan", [](double x) { return std::atan(x); }},
      {"expm1", [](double x) { return std::expm1(x); }},
      {"rint", [](double x) { return std::rint(x); }},
      {"trunc", [](double x) { return std::trunc(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      {"erfc", [](double x) { return std::erfc(x); }},
      {"lgamma", [](double x) { return std::lgamma(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"log1p", [](double x) { return std::log1p(x); }},
      {"sin", [](double x) { return std::sin(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"tanh", [](double x) { return std::tanh(x); }}};
  return all;
}

double call(const std::string& name, const std::vector<double>& arguments) {
  if (arguments.size() == 2 && name == "pow") return std::pow(arguments[0], arguments[1]);
  if (arguments.size() == 2 && name == "atan2") return std::atan2(arguments[0], arguments[1]);
  if (arguments.size() == 2 && name == "max") return std::max(arguments[0], arguments[1]);
  if (arguments.size() == 2 && name == "min") return std::min(arguments[0], arguments[1]);
  const auto function = functions().find(name);
  if (arguments.size() != 1 || function == functions().end()) refuse("the function " + name);
  return function->second(arguments[0]);
}

uint64_t whole_power(uint64_t base, int64_t exponent) {
  uint64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

int64_t call(const std::string& name, const std::vector<int64_t>& arguments) {
  const int64_t a = arguments[0];
  if (name == "floor" || name == "rint" || name == "trunc") return a;
  if (name == "abs") return a < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a;
  if (arguments.size() != 2) refuse("the function " + name + " of ints");
  const int64_t b = arguments[1];
  if (name == "max") return std::max(a, b);
  if (name == "min") return std::min(a, b);
  if (name != "pow") refuse("the function " + name + " of ints");
  if (b >= 0) return static_cast<int64_t>(whole_power(static_cast<uint64_t>(a), b));
  return a == 1 ? 1 : a != -1 ? 0 : b % 2 == 0 ? 1 : -1;
}

double arithmetic(const std::string& sign, double a, double b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return a / b;
  refuse("the operator " + sign + " of floats");
}

int64_t arithmetic(const std::string& sign, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  if (sign == "+") return static_cast<int64_t>(x + y);
  if (sign == "-") return static_cast<int64_t>(x - y);
  if (sign == "*") return static_cast<int64_t>(x * y);
  const bool all = b < 0 || b > 63;  // bits are shifted out
  if (sign == "<<") return all ? 0 : static_cast<int64_t>(x << b);
  if (sign == ">>") return all ? (a < 0 ? -1 : 0) : a >> b;
  refuse("the operator " + sign + " of ints");
}

template <typename T>
class Evaluation {
 public:
  Evaluation(const std::function<T(const std::string&)>& port, const PortIsNone& is_none)
      : port_(port), is_none_(is_none) {}

  T value(const Formula& formula) const {
    switch (formula.kind) {
      case Kind::port:
        return port_(formula.text);
      case Kind::number:
        return static_cast<T>(formula.number);
      case Kind::call:
        return formula.text == "T" ? value(formula.children[0]) : called(formula);
      case Kind::unary:
        if (formula.text == "!") return value(formula.children[0]) == T();
        return negative(value(formula.children[0]));
      case Kind::binary:
        return binary(formula);
      case Kind::is_none:
        return is_none_ && is_none_(formula.text);
      case Kind::choice:
        return value(formula.children[value(formula.children[0]) != T() ? 1 : 2]);
      case Kind::unsupported:
        break;
    }
    throw Unsupported();
  }

 private:
  T called(const Formula& formula) const {
    std::vector<T> arguments;
    for (const Formula& child : formula.children) arguments.push_back(value(child));
    return call(formula.text, arguments);
  }

  static T negative(T a) {
    if constexpr (std::is_floating_point_v<T>) return -a;
    return arithmetic("-", T(), a);
  }

  T binary(const Formula& formula) const {
    const std::string& sign = formula.text;
    const T a = value(formula.children[0]);
    if (sign == "||" && a != T()) return T(1);
    if (sign == "&&" && a == T()) return T();
    const T b = value(formula.children[1]);
    if (sign == "||" || sign == "&&") return b != T();
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<") return a < b;
    if (sign == "<=") return a <= b;
    if (sign == ">") return a > b;
    if (sign == ">=") return a >= b;
    return arithmetic(sign, a, b);
  }

  const std::function<T(const std::string&)>& port_;
  const PortIsNone& is_none_;
};

template <typename T>
std::optional<T> evaluated(const Formula& formula, const std::function<T(const std::string&)>& port,
                           const PortIsNone& is_none) {
  try {
    return Evaluation<T>(port, is_none).value(formula);
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<double> evaluate(const Formula& formula, const PortNumber& port,
                               const PortIsNone& is_none) {
  return evaluated<double>(formula, port, is_none);
}

std::optional<std::int64_t> evaluate_integer(const Formula& formula, const PortInteger& port,
                                             const PortIsNone& is_none) {
  return evaluated<std::int64_t>(formula, port, is_none);
}

}  // namespace mithril::check
