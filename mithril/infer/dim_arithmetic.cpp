// Arithmetic of dims.
#include <algorithm>

#include "mithril/infer/application.hpp"

namespace mithril {

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

}  // namespace mithril
