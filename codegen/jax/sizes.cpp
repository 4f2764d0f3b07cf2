#include "codegen/jax/sizes.hpp"

#include <utility>

#include "mithril/infer/application.hpp"

namespace mithril::codegen {

void JaxSizes::know(const Value& value, const std::string& variable) {
  for (size_t axis = 0; value.ranked && axis < value.dims.size(); ++axis) {
    const Sum sum = resolved_sum(value.dims[axis]);
    if (sum.terms.size() != 1) continue;
    const Term& term = *sum.terms.begin();
    const Place place{variable, axis, term.factor, sum.constant};
    const bool plain = term.factor == 1 && sum.constant == 0;
    const auto [at, added] = places_.try_emplace(term.symbol, place);
    if (!added && plain && (at->second.factor != 1 || at->second.constant != 0)) at->second = place;
  }
}

std::string JaxSizes::text(const Dim& dim) {
  const Sum sum = resolved_sum(dim);
  std::string text;
  for (const Term& term : sum.terms) {
    const int64_t factor = term.factor < 0 ? -term.factor : term.factor;
    const std::string sign = term.factor < 0 ? "-" : "+";
    text += text.empty() ? (sign == "-" ? "-" : "") : " " + sign + " ";
    if (factor != 1) text += std::to_string(factor) + " * ";
    text += symbol_text(term.symbol);
  }
  if (text.empty()) return std::to_string(sum.constant);
  if (sum.constant == 0) return text;
  const std::string digits = std::to_string(sum.constant);
  return text + (sum.constant < 0 ? " - " + digits.substr(1) : " + " + digits);
}

std::string JaxSizes::operand(const Dim& dim) {
  const std::string written = text(dim);
  const bool simple = written.find(' ') == std::string::npos && written.front() != '-';
  return simple ? written : "(" + written + ")";
}

std::string JaxSizes::symbol_text(Symbol* symbol) {
  const auto named = names_.find(symbol);
  if (named != names_.end()) return named->second;
  const auto place = places_.find(symbol);
  if (place != places_.end()) {
    const auto& [variable, axis, factor, constant] = place->second;
    std::string size = variable + ".shape[" + std::to_string(axis) + "]";
    if (constant != 0) size = "(" + size + " - " + std::to_string(constant) + ")";
    if (factor != 1) size += " // " + std::to_string(factor);
    const std::string name = locals_.add(symbol->name() ? *symbol->name() : "size");
    definitions_.push_back(name + " = " + size);
    return names_.emplace(symbol, name).first->second;
  }
  if (!open_.insert(symbol).second) return "?";  // a definition that runs into itself
  std::string text = "?";
  if (const Product* product = symbol->product()) {
    text = "(" + operand(Dim(product->left)) + " * " + operand(Dim(product->right)) + ")";
  } else if (const Quotient* quotient = symbol->quotient()) {
    text = "(" + operand(quotient->dividend) + " // " + operand(quotient->divisor) + ")";
  }
  open_.erase(symbol);
  return text;
}

std::vector<std::string> JaxSizes::take_definitions() { return std::exchange(definitions_, {}); }

}  // namespace mithril::codegen
