// The equation of einsum: "bij,bjk->bik".
#pragma once
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mithril {

// The letters of the axes of one tensor, before and after the ellipsis.
struct Subscripts {
  std::string before, after;
  bool has_dots = false;

  std::string letters() const { return before + after; }
  std::string text() const { return has_dots ? before + "..." + after : before; }
};

struct Equation {
  std::vector<Subscripts> operands;
  Subscripts output;
};

struct EquationFault {
  std::string message, expected, got;
};

inline std::optional<EquationFault> parse_subscripts(std::string_view term, const std::string& who,
                                                     Subscripts& result) {
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i, 3) == "..." && !result.has_dots) {
      result.has_dots = true;
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
      (result.has_dots ? result.after : result.before) += term[i];
    } else {
      return EquationFault{who + " has subscripts that are not letters",
                           "letters, and at most one '...'", "'" + std::string(term) + "'"};
    }
  }
  return std::nullopt;
}

// The output of an equation without an arrow: the letters that occur once, in the order of the
// alphabet.
inline Subscripts implied_output(const std::vector<Subscripts>& operands) {
  std::string all;
  Subscripts output;
  for (const Subscripts& each : operands) {
    all += each.letters();
    output.has_dots = output.has_dots || each.has_dots;
  }
  std::sort(all.begin(), all.end());
  for (const char letter : all) {
    if (std::count(all.begin(), all.end(), letter) == 1) output.after += letter;
  }
  if (!output.has_dots) std::swap(output.before, output.after);
  return output;
}

inline std::optional<EquationFault> find_fault(const Equation& equation) {
  const std::string made = equation.output.letters();
  bool has_dots = false;
  std::string all;
  for (const Subscripts& each : equation.operands) {
    all += each.letters();
    has_dots = has_dots || each.has_dots;
  }
  for (const char letter : made) {
    const std::string named = std::string("'") + letter + "'";
    if (all.find(letter) == all.npos)
      return EquationFault{"the output has " + named + ", which no operand has",
                           "letters of operands", "'" + made + "'"};
    if (std::count(made.begin(), made.end(), letter) > 1)
      return EquationFault{"the output has " + named + " twice", "each letter once",
                           "'" + made + "'"};
  }
  if (!equation.output.has_dots || has_dots) return std::nullopt;
  return EquationFault{"the output has '...', which no operand has", "an operand with '...'",
                       "none"};
}

// Parses an equation as numpy.einsum does: spaces do not count.
inline std::optional<EquationFault> parse_equation(std::string text, Equation& equation) {
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  std::string_view left = std::string_view(text).substr(0, arrow);
  for (size_t k = 0;; ++k) {
    const size_t comma = left.find(',');
    const std::string who = "operand " + std::to_string(k);
    equation.operands.emplace_back();
    if (auto fault = parse_subscripts(left.substr(0, comma), who, equation.operands.back()))
      return fault;
    if (comma == left.npos) break;
    left.remove_prefix(comma + 1);
  }
  if (arrow == text.npos) {
    equation.output = implied_output(equation.operands);
    return std::nullopt;
  }
  const std::string_view right = std::string_view(text).substr(arrow + 2);
  if (auto fault = parse_subscripts(right, "the output", equation.output)) return fault;
  return find_fault(equation);
}

}  // namespace mithril
