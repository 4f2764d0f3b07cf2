// Renaming and evaluating dims, operands before the results that they define.
#include "mithril/infer/walk.hpp"

#include "mithril/infer/trail.hpp"

namespace mithril {

Operation operation_of(const Symbol* symbol) {
  if (const Product* product = symbol->product()) {
    return {true, resolve(Dim(product->left)), resolve(Dim(product->right))};
  }
  const Quotient* quotient = symbol->quotient();
  return {false, resolve(quotient->dividend), resolve(quotient->divisor)};
}

namespace {

Dim renamed(const Dim& resolved, const Renaming& memo) {
  if (resolved.symbol()) return resolve(memo.at(resolved.symbol()));
  if (!resolved.polynomial()) return resolved;
  Sum sum{.constant = resolved.polynomial()->constant};
  for (const Term& term : resolved.polynomial()->terms()) {
    add(sum, resolved_sum(memo.at(term.symbol)), term.factor);
  }
  return to_dim(sum);
}

int64_t evaluated(const Dim& resolved, const Sizes& sizes) {
  if (resolved.symbol()) return sizes.at(resolved.symbol());
  if (!resolved.polynomial()) return resolved.constant();
  int64_t total = resolved.polynomial()->constant;
  for (const Term& term : resolved.polynomial()->terms()) {
    total = plus(total, times(term.factor, sizes.at(term.symbol)));
  }
  return total;
}

}  // namespace

Dim rename(const Dim& dim, Renaming& memo, const std::function<Dim(Symbol*)>& fresh) {
  const Dim now = resolve(dim);
  if (now.is_constant()) return now;
  if (Symbol* symbol = now.symbol()) {
    if (const auto at = memo.find(symbol); at != memo.end()) return resolve(at->second);
  }
  walk(
      now, [&](Symbol* symbol) { return memo.contains(symbol); },
      [&](Symbol* symbol) {
        const OffTrail lasting;
        memo[symbol] = fresh(symbol);
        return true;
      },
      [&](Symbol* symbol, const Operation& operation) {
        const OffTrail lasting;
        const Dim left = renamed(operation.left, memo), right = renamed(operation.right, memo);
        memo[symbol] = operation.multiplies ? left * right : floor_divide(left, right);
      });
  const OffTrail lasting;
  return renamed(now, memo);
}

std::optional<int64_t> evaluate(const Dim& dim, Sizes& sizes) {
  const Dim now = resolve(dim);
  if (now.is_constant()) return now.constant();
  const bool known = walk(
      now, [&](Symbol* symbol) { return sizes.contains(symbol); }, [](Symbol*) { return false; },
      [&](Symbol* symbol, const Operation& operation) {
        const int64_t left = evaluated(operation.left, sizes);
        const int64_t right = evaluated(operation.right, sizes);
        sizes[symbol] = operation.multiplies ? times(left, right) : checked_quotient(left, right);
      });
  if (!known) return {};
  return evaluated(now, sizes);
}

}  // namespace mithril
