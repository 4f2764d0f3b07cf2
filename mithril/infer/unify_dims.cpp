// Equations between dims: merging classes, binding symbols, eliminating one symbol by others.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "mithril/infer/application.hpp"
#include "mithril/infer/intern.hpp"
#include "mithril/infer/walk.hpp"

namespace mithril {
namespace {

// Both sides of an equation, as stated and for the current facts.
struct Sides {
  Dim stated_left, stated_right;
  Dim left = resolve(stated_left), right = resolve(stated_right);
};

[[noreturn]] void raise_differ(Facts& facts, const Sides& sides, std::string message) {
  facts.conflict(ErrorKind::shape, "E0202", std::move(message), to_string(sides.left),
                 to_string(sides.right), origin_of(sides.stated_left),
                 origin_of(sides.stated_right));
}

// sum == 0: more unknowns than one, none can be expressed by the others, and some are quotients or
// products.
struct DimEquation final : Relation {
  Dim sum;
  bool progress(Facts& facts) override {
    facts.unify(sum, Dim(0));  // solves it, or posts a smaller one that waits
    return true;
  }
};

// A size equals an expression that may be negative.
struct NotNegative final : Relation {
  Dim dim;
  bool progress(Facts& facts) override {
    const Dim now = resolve(dim);
    if (is_size(now)) return true;
    if (now.is_constant()) {
      facts.conflict(ErrorKind::shape, "E0204", "a dim would be negative", to_string(now), {},
                     origin);
    }
    facts.watch(this, now);
    return false;
  }
};

// Requires that `dim`, which is not a single symbol, is a size.
void require_size(Facts& facts, const Dim& dim) {
  if (is_size(dim)) return;
  if (dim.is_constant()) {
    facts.conflict(ErrorKind::shape, "E0204", "a dim would be negative", to_string(dim), {},
                   facts.current);
  }
  NotNegative* relation = facts.make<NotNegative>();
  relation->dim = dim;
  relation->origin = facts.current;
  facts.watch(relation, dim);
}

// The symbols in the definition of a symbol.
template <typename Visit>
void visit_definition(const Symbol* symbol, Visit visit) {
  if (const Product* product = symbol->product()) {
    for (Symbol* factor : product->key()) visit(find(factor));
  }
  if (const Quotient* quotient = symbol->quotient()) {
    for (const Dim& dim : {quotient->dividend, quotient->divisor}) {
      visit_symbols(dim, [&](Symbol* inner) { visit(find(inner)); });
    }
  }
}

bool is_mentioned_inside(const Sum& sum, const Symbol* symbol) {
  bool found = false;
  for (const Term& term : sum.terms) {
    visit_definition(term.symbol, [&](const Symbol* inner) { found |= inner == symbol; });
  }
  return found;
}

// The symbol to eliminate, of those with the factor 1 or -1: best one that no other's definition
// mentions (s := 90 - s*s would lose sight of s*s); of those the youngest that has no definition
// itself, else the youngest, or only that: a new quotient must give way to those that it came from,
// else rewriting need not end. None where that would be a product that another's definition
// mentions: with a*b := 2*(a*b//2) the quotient would follow from a and b no more.
const Term* pivot_of(const Sum& sum, bool youngest) {
  const auto rank = [&](const Term& term) {
    return std::tuple{!is_mentioned_inside(sum, term.symbol), !youngest && !is_defined(term.symbol),
                      term.symbol->age};
  };
  const Term* pivot = nullptr;
  for (const Term& term : sum.terms) {
    if (term.factor != 1 && term.factor != -1) continue;
    if (term.symbol->product() && is_mentioned_inside(sum, term.symbol)) continue;
    if (!pivot || rank(*pivot) < rank(term)) pivot = &term;
  }
  return pivot;
}

void merge_notes(Symbol* root, const Symbol* lost) {
  if (!lost->notes) return;
  SymbolNotes& notes = notes_of(root);
  save(notes);
  // The older name wins, independent of the order of facts.
  if (lost->name() && (!notes.name || lost->notes->name_age < notes.name_age)) {
    notes.name = lost->name();
    notes.name_age = lost->notes->name_age;
  }
  if (!notes.product) notes.product = lost->product();
  if (!notes.quotient) notes.quotient = lost->quotient();
}

// The definition now says only that the symbol equals itself.
void forget(Symbol* root, const Application& definition) {
  SymbolNotes& notes = notes_of(root);
  save(notes);
  if (notes.product == &definition) notes.product = nullptr;
  if (notes.quotient == &definition) notes.quotient = nullptr;
}

void unify_symbols(Facts& facts, Symbol* a, Symbol* b) {  // free roots
  if (a == b) return;
  // Products of one of them are rewritten with the factors of the other.
  if (!a->product() != !b->product()) facts.wake(a->product() ? b : a);
  const bool size = a->size || b->size;
  Symbol* root = facts.merge(a, b);
  merge_notes(root, root == a ? b : a);
  if (size) make_size(facts, root);
}

// Euclid's algorithm, if no factor is 1 or -1 and no symbol has a definition: the symbol with the
// smallest factor becomes a fresh one minus whole multiples of the others, which reduces their
// factors. In the end 2*x == 3*y makes x 3*t and y 2*t.
void reduce(Facts& facts, const Sum& sum) {
  const Term pivot = *std::ranges::min_element(
      sum.terms, {}, [](const Term& term) { return std::abs(term.factor); });
  Sum value = to_sum(Dim(facts.symbol({}, false)));
  value.constant = -floor_quotient(sum.constant, pivot.factor);
  for (const Term& term : sum.terms) {
    if (term.symbol == pivot.symbol) continue;
    add(value, to_sum(Dim(term.symbol)), -(term.factor / pivot.factor));  // factors keep their sign
  }
  Sum smaller = sum;
  add(smaller, to_sum(Dim(pivot.symbol)), -pivot.factor);
  add(smaller, value, pivot.factor);
  bind(facts, pivot.symbol, to_dim(value));
  facts.unify(to_dim(smaller), Dim(0));
}

void solve(Facts& facts, const Sides& sides, bool youngest) {
  Sum sum = to_sum(sides.left);
  add(sum, to_sum(sides.right), -1);
  if (sum.terms.empty()) {
    if (sum.constant != 0) raise_differ(facts, sides, "two dims differ");
    return;
  }
  int64_t shared = 0;
  for (const Term& term : sum.terms) shared = std::gcd(shared, term.factor);
  if (sum.constant % shared != 0) raise_differ(facts, sides, "no integer makes two dims equal");
  for (Term& term : sum.terms) term.factor /= shared;
  sum.constant /= shared;
  if (const Term* pivot = pivot_of(sum, youngest)) {
    Symbol* symbol = pivot->symbol;
    const int64_t factor = pivot->factor;
    Sum rest = to_sum(Dim(symbol));
    add(rest, sum, -factor);  // does not mention it any more
    const Dim value = to_dim(rest);
    return value.symbol() ? unify_symbols(facts, symbol, value.symbol())
                          : bind(facts, symbol, value);
  }
  if (std::ranges::none_of(sum.terms, [](const Term& term) { return is_defined(term.symbol); })) {
    return reduce(facts, sum);
  }
  DimEquation* equation = facts.make<DimEquation>();
  equation->sum = to_dim(sum);
  equation->origin = facts.current;
  facts.watch(equation, equation->sum);
}

// A free symbol becomes `known`. If that is a symbol, it joins its class, which records the origin.
void become(Facts& facts, Symbol* symbol, const Dim& known, const Dim& stated) {
  Symbol* root = stated.symbol() ? find(stated.symbol()) : nullptr;
  if (!root || !root->bound()) return bind(facts, symbol, known);
  if (symbol->size) require_size(facts, known);
  facts.link(symbol, root);
}

bool can_become(const Symbol* symbol, const Dim& known) {
  return symbol && !mentions(known, symbol) && (!is_defined(symbol) || known.is_constant());
}

}  // namespace

void bind(Facts& facts, Symbol* root, const Dim& dim) {
  if (root->size) require_size(facts, dim);
  save(*root);
  root->set_definition(dim);
  root->origin = facts.current;
  facts.wake(root);
}

void make_size(Facts& facts, Symbol* symbol) {
  Symbol* root = find(symbol);
  if (root->size) return;
  save(root->size);
  root->size = true;
  if (root->bound()) {
    require_size(facts, resolve(Dim(root)));
  } else {
    facts.wake(root);
  }
}

void redefine(Facts& facts, const Application& application, const Dim& dim) {
  Symbol* out = application.out;
  const Dim root = resolve(Dim(out)), now = resolve(dim);
  if (root.symbol() && root.symbol() == now.symbol()) return forget(root.symbol(), application);
  if (!root.symbol() || !now.polynomial()) {
    facts.unify(Dim(out), dim);
    // 1 * x == x: the class of x must not be defined by itself, or no equation is solved for x.
    const Dim joined = resolve(Dim(out));
    if (joined.symbol() && joined.symbol()->notes) forget(joined.symbol(), application);
    return;
  }
  const Sum sum = to_sum(now);
  if (mentions(now, root.symbol()) || is_mentioned_inside(sum, root.symbol())) {
    solve(facts, {root, now}, true);
  } else {
    bind(facts, root.symbol(), now);
  }
}

void Facts::unify(const Dim& a, const Dim& b) {
  if (a.symbol() && a.symbol() == b.symbol()) return;
  const Sides sides{a, b};
  const Dim &left = sides.left, &right = sides.right;
  if (left.is_constant() && right.is_constant()) {
    if (left.constant() != right.constant()) raise_differ(*this, sides, "two dims differ");
  } else if (left.symbol() && right.symbol()) {
    unify_symbols(*this, left.symbol(), right.symbol());
  } else if (can_become(left.symbol(), right)) {
    become(*this, left.symbol(), right, b);
  } else if (can_become(right.symbol(), left)) {
    become(*this, right.symbol(), left, a);
  } else {
    solve(*this, sides, false);
  }
}

}  // namespace mithril
