// Names of symbols, and the text of expressions of them.
#include "mithril/graph/dim_writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/graph/text_syntax.hpp"
#include "mithril/infer/application.hpp"

namespace mithril {
namespace {

// Heavier definitions are declared, so that the text grows no faster than the graph, and deep ones
// are written without recursion.
constexpr int heaviest_inline = 4;

std::string as_symbol_name(std::string name) {
  for (char& c : name) {
    if (!is_symbol_name(std::string("_") + c)) c = '_';
  }
  return is_symbol_name(name) ? name : "_" + name;
}

}  // namespace

// The definition of a symbol.
struct DimWriter::Definition {
  Dim left, right;
  const char* sign;

  static std::optional<Definition> of(const Symbol* symbol) {
    if (const Product* product = symbol->product()) {
      return Definition{resolve(Dim(product->left)), resolve(Dim(product->right)), "*"};
    }
    if (const Quotient* quotient = symbol->quotient()) {
      return Definition{resolve(quotient->dividend), resolve(quotient->divisor), "//"};
    }
    return std::nullopt;
  }
};

// Visits operands first, without recursion, because definitions form long chains.
DimWriter::Form DimWriter::form(Symbol* symbol) {
  std::vector<Symbol*> stack{symbol};
  std::set<Symbol*> begun;
  while (!stack.empty()) {
    Symbol* now = stack.back();
    const auto definition = Definition::of(now);
    if (written_.contains(now)) {
      stack.pop_back();
    } else if (definition && begun.insert(now).second) {
      const auto need = [&](Symbol* operand) { stack.push_back(operand); };
      each_symbol(definition->left, need);
      each_symbol(definition->right, need);
    } else {
      written_.emplace(now, classified(definition));
    }
  }
  return written_.at(symbol).form;
}

DimWriter::Written DimWriter::classified(const std::optional<Definition>& definition) const {
  constexpr Written name{Form::name, 1};
  if (!definition) return name;
  int weight = 1;
  bool complete = true;
  const auto add = [&](Symbol* operand) {
    const auto at = written_.find(operand);
    if (at == written_.end()) {
      complete = false;
    } else {
      weight += at->second.form == Form::declared ? 1 : at->second.weight;
    }
  };
  each_symbol(definition->left, add);
  each_symbol(definition->right, add);
  if (!complete) return name;  // the definition runs into itself: it is cut here
  return {weight > heaviest_inline ? Form::declared : Form::definition, weight};
}

void DimWriter::visit(const Dim& dim, const Visit& visitor) {
  each_symbol(resolve(dim), [&](Symbol* symbol) {
    if (form(symbol) == Form::definition) {
      const auto definition = Definition::of(symbol);
      visit(definition->left, visitor);
      visit(definition->right, visitor);
    }
    visitor(symbol);
  });
}

// A parser creates declared symbols before those inside dims. Declaring such symbols first
// therefore keeps the order of terms.
void DimWriter::visit_to_declare(const Dim& dim, const Visit& visitor) {
  std::vector<Symbol*> inside;
  each_symbol(resolve(dim), [&](Symbol* symbol) {
    form(symbol) == Form::definition ? inside.push_back(symbol) : visitor(symbol);
  });
  for (Symbol* symbol : inside) {
    const auto definition = Definition::of(symbol);
    visit_to_declare(definition->left, visitor);
    visit_to_declare(definition->right, visitor);
  }
}

std::vector<std::string> DimWriter::declare(const std::vector<Dim>& shapes,
                                            const std::vector<Dim>& arguments) {
  std::set<Symbol*> in_shapes;
  const auto declare_what_needs_it = [&](Symbol* symbol) {
    if (symbols_.contains(symbol)) return;
    const bool implied = symbol->size && in_shapes.contains(symbol);
    if (form(symbol) == Form::declared || (form(symbol) == Form::name && !implied)) declare(symbol);
  };
  for (const Dim& dim : shapes) visit(dim, [&](Symbol* symbol) { in_shapes.insert(symbol); });
  for (const Dim& dim : shapes) visit_to_declare(dim, declare_what_needs_it);
  for (const Dim& dim : arguments) visit_to_declare(dim, declare_what_needs_it);
  return std::exchange(declarations_, {});
}

// Declares the symbols of the definition first.
void DimWriter::declare(Symbol* symbol) {
  std::vector<Symbol*> stack{symbol};
  while (!stack.empty()) {
    Symbol* now = stack.back();
    if (symbols_.contains(now)) {
      stack.pop_back();
      continue;
    }
    std::vector<Symbol*> needed;
    const auto definition = form(now) == Form::declared ? Definition::of(now) : std::nullopt;
    const auto need = [&](Symbol* operand) {
      const bool declared = form(operand) == Form::declared || !operand->size;
      if (declared && !symbols_.contains(operand)) needed.push_back(operand);
    };
    if (definition) {
      visit_to_declare(definition->left, need);
      visit_to_declare(definition->right, need);
    }
    stack.insert(stack.end(), needed.rbegin(), needed.rend());
    if (!needed.empty()) continue;
    const std::string meaning = definition ? " = " + definition_text(*definition) : "";
    const std::string name = new_name(now);
    declarations_.push_back((now->size ? "size " : "integer ") + name + meaning);
    enter(now, name);
  }
}

std::string DimWriter::text(const Dim& dim) {
  const Dim now = resolve(dim);
  const std::string text = operand(now);
  const bool wrapped = text.front() == '(';
  return wrapped ? text.substr(1, text.size() - 2) : text;
}

std::string DimWriter::definition_text(const Definition& definition) {
  const std::string left = operand(definition.left);
  return left + definition.sign + operand(definition.right);
}

// An operand of a multiplication or division: a number, a name, or an expression in parentheses.
std::string DimWriter::operand(const Dim& dim) {
  visit(dim, [&](Symbol* symbol) {
    if (symbols_.contains(symbol)) return;
    const auto definition =
        form(symbol) == Form::definition ? Definition::of(symbol) : std::nullopt;
    enter(symbol, definition ? "(" + definition_text(*definition) + ")" : new_name(symbol));
  });
  const Dim renamed = rename(dim, symbols_, [](Symbol*) -> Dim {
    MITHRIL_CHECK(false, "a symbol is written before it has a name");
    std::abort();
  });
  const std::string text = to_string(renamed);
  return renamed.polynomial() || text.front() == '-' ? "(" + text + ")" : text;
}

void DimWriter::enter(Symbol* symbol, const std::string& text) {
  symbols_.emplace(symbol, Dim(facts_.symbol(text, symbol->size)));
}

std::string DimWriter::new_name(const Symbol* symbol) {
  std::string base;
  if (!numbered_ && symbol->name()) base = as_symbol_name(std::string(*symbol->name()));
  std::string text = base;
  int suffix = 1;
  while (text.empty() || !names_.insert(text).second) {
    text = base.empty() ? "_" + std::to_string(++nameless_) : base + "_" + std::to_string(++suffix);
  }
  return text;
}

}  // namespace mithril
