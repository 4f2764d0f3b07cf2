// Sums and their arithmetic, and bringing dims to normal form.
#include "mithril/infer/polynomial.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "mithril/infer/facts.hpp"

namespace mithril {

Dim Symbol::definition() const {
  switch (form) {
    case Form::constant:
      return Dim(number);
    case Form::symbol:
      return Dim(static_cast<Symbol*>(parent));
    case Form::polynomial:
      return Dim(polynomial);
    case Form::free:
      break;
  }
  MITHRIL_CHECK(false, "a free symbol has no definition");
  return {};
}

void Symbol::set_definition(const Dim& dim) {
  if (dim.is_constant()) {
    form = Form::constant;
    number = dim.constant();
  } else if (dim.symbol()) {
    form = Form::symbol;
    parent = dim.symbol();
  } else {
    form = Form::polynomial;
    polynomial = dim.polynomial();
  }
}

Facts& facts_of(const Symbol* symbol) {
  Home* home = symbol->home;
  while (home->parent) {
    Home* above = home->parent;
    if (above->parent) {  // the way becomes half as long
      save(*home);
      home->offset += above->offset;
      home->parent = above->parent;
    }
    home = home->parent;
  }
  return *home->facts;
}

void raise_about_dims(ErrorKind kind, std::string code, std::string message, std::string left,
                      std::string right) {
  Facts nobody;
  const Trail* trail = Trail::active();
  Facts& speaking = trail ? *trail->speaking : nobody;
  speaking.conflict(kind, std::move(code), std::move(message), std::move(left), std::move(right));
}

namespace {
constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
}

int64_t plus(int64_t a, int64_t b) {
  int64_t result;
  if (!__builtin_add_overflow(a, b, &result) && result != lowest) return result;
  raise_about_dims(ErrorKind::shape, "E0205", "a dim is too large for 64 bits",
                   std::to_string(a) + " + " + std::to_string(b));
}

int64_t times(int64_t a, int64_t b) {
  int64_t result;
  if (!__builtin_mul_overflow(a, b, &result) && result != lowest) return result;
  raise_about_dims(ErrorKind::shape, "E0205", "a dim is too large for 64 bits",
                   std::to_string(a) + " * " + std::to_string(b));
}

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) return times(a, -1);
  const int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

// a - q * b would overflow for a near the smallest int64.
int64_t floor_remainder(int64_t a, int64_t b) {
  const int64_t remainder = a % b;
  return remainder < 0 ? remainder + b : remainder;
}

Sum to_sum(const Dim& dim) {
  Sum sum;
  if (Symbol* symbol = dim.symbol()) {
    sum.terms.push_back({1, symbol});
  } else if (const Polynomial* polynomial = dim.polynomial()) {
    sum.constant = polynomial->constant;
    sum.terms.append(polynomial->terms().data(),
                     polynomial->terms().data() + polynomial->terms().size());
  } else {
    sum.constant = dim.constant();
  }
  return sum;
}

Dim to_dim(const Sum& sum) {
  if (sum.terms.empty()) return Dim(sum.constant);
  const Term& first = sum.terms[0];
  if (sum.constant == 0 && sum.terms.size() == 1 && first.factor == 1) return Dim(first.symbol);
  static_assert(sizeof(Polynomial) % alignof(Term) == 0);
  const size_t terms = sum.terms.size() * sizeof(Term);
  void* place = facts_of(first.symbol).arena().allocate(sizeof(Polynomial) + terms);
  Polynomial* made = new (place) Polynomial;
  made->constant = sum.constant;
  made->size = static_cast<uint32_t>(sum.terms.size());
  std::memcpy(static_cast<void*>(made + 1), sum.terms.data(), terms);
  return Dim(made);
}

void add(Sum& to, const Sum& sum, int64_t factor) {
  if (factor == 0) return;
  Sum result;
  result.constant = plus(to.constant, times(factor, sum.constant));
  const Term *a = to.terms.begin(), *b = sum.terms.begin();
  while (a != to.terms.end() || b != sum.terms.end()) {
    if (b == sum.terms.end() || (a != to.terms.end() && a->symbol->age < b->symbol->age)) {
      result.terms.push_back(*a++);
    } else if (a == to.terms.end() || b->symbol->age < a->symbol->age) {
      result.terms.push_back({times(factor, b->factor), b->symbol});
      ++b;
    } else {
      const int64_t both = plus(a->factor, times(factor, b->factor));
      if (both != 0) result.terms.push_back({both, a->symbol});
      ++a;
      ++b;
    }
  }
  to = std::move(result);
}

void scale(Sum& sum, int64_t factor) {
  if (factor == 0) {
    sum = {};
    return;
  }
  sum.constant = times(sum.constant, factor);
  for (Term& term : sum.terms) term.factor = times(term.factor, factor);
}

int64_t checked_quotient(int64_t a, int64_t b) {
  if (b != 0) return floor_quotient(a, b);
  raise_about_dims(ErrorKind::value, "E0404", "a dim is divided by zero",
                   std::to_string(a) + " // 0");
}

namespace {

template <typename A, typename B>
bool equal_terms(const A& a, const B& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Term& x, const Term& y) {
    return x.symbol == y.symbol && x.factor == y.factor;
  });
}

}  // namespace

bool equal(const Sum& a, const Sum& b) {
  return a.constant == b.constant && equal_terms(a.terms, b.terms);
}

bool equal(const Dim& a, const Dim& b) {
  const Polynomial *p = a.polynomial(), *q = b.polynomial();
  if (p && q) return p == q || (p->constant == q->constant && equal_terms(p->terms(), q->terms()));
  if (p || q) return false;
  if (a.symbol() || b.symbol()) return a.symbol() == b.symbol();
  return a.constant() == b.constant();
}

bool mentions(const Dim& dim, const Symbol* root) {
  bool found = false;
  visit_symbols(dim, [&](const Symbol* symbol) { found |= symbol == root; });
  return found;
}

namespace {

bool is_current(const Symbol* symbol) { return !symbol->linked && !symbol->bound(); }

bool is_current(const Polynomial& polynomial) {
  if (polynomial.outdated) return false;
  const auto terms = polynomial.terms();
  return std::all_of(terms.begin(), terms.end(),
                     [](const Term& term) { return is_current(term.symbol); });
}

// Sorts the terms, and merges those of one symbol.
void normalise(SmallVector<Term, 6>& terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return a.symbol->age < b.symbol->age; });
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    Term term = terms[i++];
    for (; i < terms.size() && terms[i].symbol == term.symbol; ++i) {
      term.factor = plus(term.factor, terms[i].factor);
    }
    if (term.factor != 0) terms[kept++] = term;
  }
  terms.shrink(kept);
}

}  // namespace

Dim sum_of(std::span<const Dim> dims) {
  Sum total;
  for (const Dim& dim : dims) {
    const Sum sum = resolved_sum(dim);
    total.constant = plus(total.constant, sum.constant);
    total.terms.append(sum.terms.begin(), sum.terms.end());
  }
  normalise(total.terms);
  return to_dim(total);
}

namespace {

// Replaces each symbol by its root, or by the definition of the root.
Sum substituted(const Sum& sum) {
  Sum result;
  result.constant = sum.constant;
  for (const Term& term : sum.terms) {
    Symbol* root = find(term.symbol);
    if (!root->bound()) {
      result.terms.push_back({term.factor, root});
      continue;
    }
    const Sum definition = to_sum(root->definition());
    result.constant = plus(result.constant, times(term.factor, definition.constant));
    for (const Term& inner : definition.terms) {
      result.terms.push_back({times(term.factor, inner.factor), inner.symbol});
    }
  }
  normalise(result.terms);
  return result;
}

// The newest form of a polynomial that is kept, not necessarily current.
Dim newest(const Polynomial* polynomial) {
  Dim dim(polynomial);
  while (dim.polynomial() && dim.polynomial()->outdated) dim = dim.polynomial()->now;
  return dim;
}

void remember(const Polynomial* polynomial, const Dim& now) {
  save(polynomial->outdated);
  save(polynomial->now);
  polynomial->outdated = true;
  polynomial->now = now;
}

Dim resolved_polynomial(const Polynomial* polynomial) {
  if (is_current(*polynomial)) return Dim(polynomial);
  Dim dim = newest(polynomial);
  if (!is_current(dim)) {
    visit_symbols(dim, [](Symbol* symbol) {
      if (Symbol* root = find(symbol); root->bound()) definition_of(root);
    });
    dim = to_dim(substituted(to_sum(dim)));
  }
  remember(polynomial, dim);
  return dim;
}

}  // namespace

bool is_current(const Dim& dim) {
  if (const Polynomial* polynomial = dim.polynomial()) return is_current(*polynomial);
  return !dim.symbol() || is_current(dim.symbol());
}

// Does not recurse, because definitions can form long chains. Caches its results.
Dim definition_of(Symbol* root) {
  if (root->form == Symbol::Form::constant || is_current(root->definition())) {
    return root->definition();
  }
  std::vector<Symbol*> open{root};
  while (!open.empty()) {
    Symbol* symbol = open.back();
    const Dim definition = symbol->definition();
    if (is_current(definition)) {
      open.pop_back();
      continue;
    }
    const size_t before = open.size();
    visit_symbols(definition, [&](Symbol* inner) {
      inner = find(inner);
      if (inner->bound() && !is_current(inner->definition())) open.push_back(inner);
    });
    if (open.size() > before) continue;
    const Dim now = to_dim(substituted(to_sum(definition)));
    save(*symbol);
    symbol->set_definition(now);
    open.pop_back();
  }
  return root->definition();
}

Dim resolve(const Dim& dim) {
  if (dim.is_constant()) return dim;
  if (dim.polynomial()) return resolved_polynomial(dim.polynomial());
  Symbol* root = find(dim.symbol());
  return root->bound() ? definition_of(root) : Dim(root);
}

Sum resolved_sum(const Dim& dim) { return to_sum(resolve(dim)); }

}  // namespace mithril
