// Nonlinear products.
#include <algorithm>

#include "mithril/base/limits.hpp"
#include "mithril/infer/application.hpp"
#include "mithril/infer/intern.hpp"

namespace mithril {
namespace {

size_t hash_of(std::span<Symbol* const> factors) {
  size_t hash = 29;
  for (const Symbol* factor : factors) hash = mix_hash(hash, static_cast<size_t>(factor->id));
  return hash;
}

Product* look_up_product(std::span<Symbol* const> key, size_t hash) {
  return static_cast<Product*>(look_up(key[0], hash, [&](const Application& application) {
    return application.multiplies &&
           std::ranges::equal(static_cast<const Product&>(application).key(), key);
  }));
}

Factors key_of(Symbol* a, Symbol* b) {
  Factors key;
  take_apart(a, key);
  take_apart(b, key);
  check_limit(static_cast<int64_t>(key.size()), &Limits::dim_terms, "E0462",
              "a product of dims has " + std::to_string(key.size()) + " factors");
  std::ranges::sort(key, {}, &Symbol::age);
  return key;
}

std::span<Symbol* const> as_span(const Factors& factors) {
  return {factors.data(), factors.size()};
}

void watch(Facts& facts, Product* product) {
  Symbol *left = find(product->left), *right = find(product->right);
  facts.watch(product, static_cast<Variable*>(left));
  if (right != left) facts.watch(product, static_cast<Variable*>(right));
  const Symbol* last = nullptr;  // equal factors are adjacent
  for (Symbol* factor : product->key()) {
    if (factor == left || factor == right || factor == last) continue;
    facts.watch(product, static_cast<Variable*>(factor));
    last = factor;
  }
}

Symbol* product_symbol(Symbol* a, Symbol* b, int32_t generation) {  // of free roots
  const Factors key = key_of(a, b);
  const size_t hash = hash_of(as_span(key));
  if (const Product* known = look_up_product(as_span(key), hash)) return known->out;
  Facts& facts = facts_of(key[0]);
  Product* made = facts.arena().make<Product>();
  made->origin = facts.current;
  made->generation = generation;
  made->left = a;
  made->right = b;
  made->factors = facts.arena().copy(key.data(), key.size());
  made->size = static_cast<uint32_t>(key.size());
  made->out = facts.symbol({}, a->size && b->size);
  notes_of(made->out).product = made;
  enter(key[0], hash, made);
  watch(facts, made);
  return made->out;
}

bool has_large_factor(const Dim& dim) {
  constexpr int64_t large = 1 << 20;
  if (!dim.polynomial()) return false;
  return std::ranges::any_of(dim.polynomial()->terms(), [](const Term& term) {
    return term.factor > large || term.factor < -large;
  });
}

size_t term_count(const Dim& dim) {
  return dim.polynomial() ? dim.polynomial()->terms().size() : 1;
}

// Sums that define one another grow without end if each is multiplied out.
bool gives_many_terms(const Dim& a, const Dim& b) {
  constexpr size_t many = 64;
  return term_count(a) * term_count(b) > many;
}

}  // namespace

void take_apart(Symbol* root, Factors& factors) {
  Factors open, seen;
  open.push_back(root);
  while (!open.empty()) {
    Symbol* symbol = open.back();
    open.pop_back();
    const Product* product = symbol->product();
    bool whole = !product || std::ranges::find(seen, symbol) != seen.end();
    if (!whole) {
      for (Symbol* factor : product->key()) {
        const Symbol* now = find(factor);  // bound: the product is about to be looked at again
        whole |= now == symbol || now->bound();
      }
    }
    if (whole) {
      factors.push_back(symbol);
      continue;
    }
    seen.push_back(symbol);
    for (Symbol* factor : product->key()) open.push_back(find(factor));
  }
}

Sum product(const Sum& a, const Sum& b, int32_t generation) {
  const size_t made = a.terms.size() * b.terms.size();
  check_limit(static_cast<int64_t>(made), &Limits::dim_terms, "E0462",
              "a product of dims has " + std::to_string(made) + " terms");
  Sum result = b;
  scale(result, a.constant);
  Sum linear;
  linear.terms = a.terms;
  add(result, linear, b.constant);
  for (const Term& s : a.terms) {
    for (const Term& t : b.terms) {
      const Dim both = resolve(Dim(product_symbol(s.symbol, t.symbol, generation)));
      add(result, to_sum(both), times(s.factor, t.factor));
    }
  }
  return result;
}

bool Product::progress(Facts& facts) {
  Dim a = resolve(Dim(left)), b = resolve(Dim(right));
  if (!a.symbol() || !b.symbol()) return multiply_out(facts, a, b);
  if (a.symbol()->size && b.symbol()->size) make_size(facts, out);
  const Factors now = key_of(a.symbol(), b.symbol());
  const size_t hash = hash_of(as_span(now));
  save(factors);
  save(size);
  factors = facts.arena().copy(now.data(), now.size());
  size = static_cast<uint32_t>(now.size());
  const Product* other = look_up_product(key(), hash);
  if (!other) {
    enter(now[0], hash, this);
  } else if (other != this) {
    facts.unify(Dim(out), Dim(other->out));  // both stay: they may learn from different operands
  }
  a = resolve(Dim(left));
  b = resolve(Dim(right));
  if (!a.symbol() || !b.symbol()) return multiply_out(facts, a, b);
  for (Symbol* factor : key()) {
    if (is_current(Dim(factor))) continue;
    facts.post(this);
    return false;
  }
  watch(facts, this);
  return false;
}

bool Product::multiply_out(Facts& facts, const Dim& a, const Dim& b) {
  const bool number = a.is_constant() || b.is_constant();
  if (!number) {
    const Symbol* root = find(out);
    if (generation > last_generation || has_large_factor(a) || has_large_factor(b) ||
        gives_many_terms(a, b) || mentions(a, root) || mentions(b, root)) {
      facts.watch(this, a);
      facts.watch(this, b);
      return false;
    }
  }
  redefine(facts, *this, to_dim(product(to_sum(a), to_sum(b), generation + 1)));
  return true;
}

}  // namespace mithril
