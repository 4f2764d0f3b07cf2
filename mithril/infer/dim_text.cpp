// Dims as text. Definitions of quotients and products are expanded up to a small depth and length;
// beyond that the name of the symbol is printed.
#include <vector>

#include "mithril/base/printable.hpp"
#include "mithril/infer/application.hpp"

namespace mithril {
namespace {

constexpr int deepest_definition = 6;
constexpr size_t long_enough = 120;

int64_t label_of(const Symbol* symbol) {
  int64_t label = symbol->id;
  for (const Home* home = symbol->home; home; home = home->parent) label += home->offset;
  return label;
}

class DimText {
 public:
  std::string text;

  void add_sum(const Sum& sum, int depth) {
    bool first = true;
    for (const Term& term : sum.terms) {
      add_sign(term.factor < 0, first);
      first = false;
      const int64_t factor = term.factor < 0 ? -term.factor : term.factor;
      if (factor != 1) text += std::to_string(factor) + "*";
      add_symbol(term.symbol, depth, factor != 1);
    }
    if (first) {
      text += std::to_string(sum.constant);
    } else if (sum.constant != 0) {
      add_sign(sum.constant < 0, false);
      const std::string digits = std::to_string(sum.constant);
      text += sum.constant < 0 ? digits.substr(1) : digits;
    }
  }

 private:
  void add_sign(bool negative, bool first) {
    if (first) {
      text += negative ? "-" : "";
    } else {
      text += negative ? " - " : " + ";
    }
  }

  // `factor`: something is multiplied or divided by it.
  void add_symbol(const Symbol* symbol, int depth, bool factor) {
    const bool short_now = depth > 0 && text.size() < long_enough;
    if (symbol->name()) {
      text += printable(*symbol->name());
    } else if (symbol->product() && short_now) {
      add_product(symbol, depth - 1);
    } else if (symbol->quotient() && short_now) {
      text += factor ? "(" : "";
      add_operand(symbol->quotient()->dividend, symbol, depth - 1);
      text += "//";
      add_operand(symbol->quotient()->divisor, symbol, depth - 1);
      text += factor ? ")" : "";
    } else {
      text += "?" + std::to_string(label_of(symbol));
    }
  }

  void add_product(const Symbol* symbol, int depth) {
    bool first = true;
    for (Symbol* factor : symbol->product()->key()) {
      if (!first) text += "*";
      first = false;
      add_operand(Dim(factor), symbol, depth);
    }
  }

  // An operand in the definition of `defined`, which may contain itself.
  void add_operand(const Dim& dim, const Symbol* defined, int depth) {
    const Dim now = resolve(dim);
    if (now.symbol()) return add_symbol(now.symbol(), now.symbol() == defined ? 0 : depth, true);
    const bool bare = now.is_constant() && now.constant() >= 0;
    text += bare ? "" : "(";
    add_sum(to_sum(now), depth);
    text += bare ? "" : ")";
  }
};

}  // namespace

std::string to_string(const Dim& dim) {
  DimText writer;
  writer.add_sum(resolved_sum(dim), deepest_definition);
  return writer.text;
}

std::string to_string(const std::vector<Dim>& dims) {
  std::string text;
  for (const Dim& dim : dims) text += (text.empty() ? "" : ", ") + to_string(dim);
  return "[" + text + "]";
}

}  // namespace mithril
