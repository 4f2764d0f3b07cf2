// Arithmetic of dims, renaming and evaluating them.
#include "mithril/infer/dim.hpp"

#include <algorithm>

#include "mithril/infer/application.hpp"
#include "mithril/infer/off_trail.hpp"
#include "mithril/infer/walk.hpp"

namespace mithril {

int64_t Dim::constant() const {
  MITHRIL_CHECK(is_constant(), "a dim that is not a number was taken for one");
  return number_;
}

Dim operator+(const Dim& left, const Dim& right) {
  const Dim a = resolve(left), b = resolve(right);
  if (a.is_constant() && b.is_constant()) return Dim(plus(a.constant(), b.constant()));
  Sum sum = to_sum(a);
  add(sum, to_sum(b));
  return to_dim(sum);
}

Dim operator-(const Dim& left, const Dim& right) {
  const Dim a = resolve(left), b = resolve(right);
  Sum sum = to_sum(a);
  add(sum, to_sum(b), -1);
  return to_dim(sum);
}

Dim operator*(const Dim& left, const Dim& right) {
  const Dim a = resolve(left), b = resolve(right);
  if (a.is_constant() && b.is_constant()) return Dim(times(a.constant(), b.constant()));
  return to_dim(product(to_sum(a), to_sum(b)));
}

Dim floor_divide(const Dim& a, const Dim& b) {
  return to_dim(quotient(resolved_sum(a), resolved_sum(b)));
}

bool same(const Dim& a, const Dim& b) { return equal(resolve(a), resolve(b)); }

bool is_size(const Sum& sum) {
  return sum.constant >= 0 && std::ranges::all_of(sum.terms, [](const Term& term) {
           return term.factor > 0 && term.symbol->size;
         });
}

bool is_size(const Dim& dim) {
  if (dim.symbol() && find(dim.symbol())->size) return true;  // of the class of the symbol
  const Dim now = resolve(dim);
  if (now.is_constant()) return now.constant() >= 0;
  if (now.symbol()) return now.symbol()->size;
  return is_size(to_sum(now));
}

void each_symbol(const Dim& dim, const std::function<void(Symbol*)>& visit) {
  visit_symbols(dim, visit);
}

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

Dim rename(const Dim& dim, Renaming& memo, Facts& facts) {
  return rename(dim, memo, [&](Symbol* symbol) {
    const Note name = symbol->name();
    return Dim(facts.symbol(name ? *name : std::string_view(), symbol->size));
  });
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
