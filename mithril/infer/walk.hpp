// Walking along the definitions of quotients and products, operands first.
#pragma once
#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <vector>

#include "mithril/infer/application.hpp"

namespace mithril {

// A definition as an operation on two resolved dims.
struct Operation {
  bool multiplies;  // else it divides
  Dim left, right;
};

inline bool is_defined(const Symbol* symbol) { return symbol->product() || symbol->quotient(); }
Operation operation_of(const Symbol* symbol);  // of a defined one

// Visits what a resolved dim needs, operands first: leaf(symbol) for a symbol without definition,
// false to stop; made(symbol, operation) for another, once its operands are done; neither where
// done(symbol). A definition that runs into itself is cut there: the symbol counts as a leaf. The
// stack is explicit, since definitions can form long chains.
template <typename Done, typename Leaf, typename Made>
bool walk(const Dim& dim, Done done, Leaf leaf, Made made) {
  struct Step {
    Symbol* symbol;
    bool entered;
  };
  std::vector<Step> stack;
  std::unordered_set<const Symbol*> open;
  const auto need = [&](const Dim& operand) {
    const size_t before = stack.size();
    visit_symbols(operand, [&](Symbol* symbol) { stack.push_back({symbol, false}); });
    std::reverse(stack.begin() + static_cast<ptrdiff_t>(before), stack.end());
  };
  need(dim);
  while (!stack.empty()) {
    const auto [symbol, entered] = stack.back();
    if (done(symbol)) {
      stack.pop_back();
    } else if (entered) {
      stack.pop_back();
      open.erase(symbol);
      made(symbol, operation_of(symbol));
    } else if (!is_defined(symbol) || open.contains(symbol)) {
      stack.pop_back();
      if (!leaf(symbol)) return false;
    } else {
      stack.back().entered = true;
      open.insert(symbol);
      const Operation operation = operation_of(symbol);
      need(operation.left);
      need(operation.right);
    }
  }
  return true;
}

}  // namespace mithril
