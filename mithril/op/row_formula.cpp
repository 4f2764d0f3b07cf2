#include "mithril/op/row_formula.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "mithril/op/syntax_error.hpp"

namespace mithril {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

RowStatement parse_statement(std::string_view text) {
  const size_t sign = text.find('=');
  const std::string_view name = trimmed(text.substr(0, sign));
  if (sign == std::string_view::npos || !is_name(name))
    raise_syntax("E0730", "formula", text, 0, "name = formula");
  RowStatement statement{.name = std::string(name),
                         .formula = parse_formula(trimmed(text.substr(sign + 1)))};
  Formula& formula = statement.formula;
  if (formula.kind != Formula::Kind::call || formula.children.size() != 1) return statement;
  if (formula.text == "sum") statement.reduction = RowStatement::Reduction::sum;
  if (formula.text == "largest") statement.reduction = RowStatement::Reduction::largest;
  if (statement.reduction == RowStatement::Reduction::none) return statement;
  Formula element = std::move(formula.children.front());
  formula = std::move(element);
  return statement;
}

}  // namespace

std::vector<RowStatement> parse_row_formula(std::string_view text) {
  std::vector<RowStatement> statements;
  while (true) {
    const size_t end = text.find(';');
    statements.push_back(parse_statement(trimmed(text.substr(0, end))));
    if (end == std::string_view::npos) return statements;
    text.remove_prefix(end + 1);
  }
}

}  // namespace mithril
