// Quotients, rounded towards minus infinity.
#include <algorithm>
#include <numeric>
#include <optional>

#include "mithril/infer/application.hpp"
#include "mithril/infer/intern.hpp"

namespace mithril {
namespace {

size_t hash_of(const Sum& sum) {
  size_t hash = mix_hash(17, static_cast<size_t>(sum.constant));
  for (const Term& term : sum.terms) {
    hash = mix_hash(hash, static_cast<size_t>(term.factor));
    hash = mix_hash(hash, static_cast<size_t>(term.symbol->id));
  }
  return hash;
}

size_t hash_of(const Split& key) { return mix_hash(hash_of(key.rest), hash_of(key.divisor)); }

Symbol* lead_of(const Split& key) {
  return key.rest.terms.empty() ? key.divisor.terms[0].symbol : key.rest.terms[0].symbol;
}

Quotient* look_up_quotient(const Split& key, size_t hash) {
  return static_cast<Quotient*>(look_up(lead_of(key), hash, [&](const Application& application) {
    if (application.multiplies) return false;
    const Quotient& other = static_cast<const Quotient&>(application);
    return equal(to_sum(other.dividend), key.rest) && equal(to_sum(other.divisor), key.divisor);
  }));
}

// Extracts whole multiples of the number, and cancels the common divisor of the rest: (g*x + c) //
// (g*m) == (x + c//g) // m.
Split split_by_number(Sum dividend, int64_t number) {
  if (number == 0) {
    raise_about_dims(ErrorKind::value, "E0404", "a dim is divided by zero",
                     to_string(to_dim(dividend)) + " // 0");
  }
  Split split;
  if (number < 0) {
    scale(dividend, -1);
    number = times(number, -1);
  }
  int64_t shared = number;
  split.whole.constant = floor_quotient(dividend.constant, number);
  split.rest.constant = floor_remainder(dividend.constant, number);
  for (const Term& term : dividend.terms) {
    const int64_t whole = floor_quotient(term.factor, number);
    const int64_t rest = floor_remainder(term.factor, number);
    if (whole != 0) split.whole.terms.push_back({whole, term.symbol});
    if (rest == 0) continue;
    split.rest.terms.push_back({rest, term.symbol});
    shared = std::gcd(shared, rest);
  }
  split.exact = split.rest.terms.empty();
  for (Term& term : split.rest.terms) term.factor /= shared;
  split.rest.constant /= shared;
  split.divisor.constant = number / shared;
  return split;
}

// k if a == k * b.
std::optional<int64_t> multiple(const Sum& a, const Sum& b) {
  if (a.terms.size() != b.terms.size() || a.terms[0].factor % b.terms[0].factor != 0) return {};
  const int64_t factor = floor_quotient(a.terms[0].factor, b.terms[0].factor);
  Sum scaled = b;
  scale(scaled, factor);
  if (!equal(a, scaled)) return {};
  return factor;
}

// The term without all of `factors`; none if it lacks one.
std::optional<Factors> without(const Term& term, const Factors& factors) {
  Factors left;
  take_apart(term.symbol, left);
  for (Symbol* factor : factors) {
    Symbol** at = std::find(left.begin(), left.end(), factor);
    if (at == left.end()) return {};
    *at = left.back();
    left.pop_back();
  }
  return left;
}

// Extracts whole multiples of a product.
Split split_by_product(const Sum& dividend, const Sum& divisor, int32_t generation) {
  Split split;
  split.divisor = divisor;
  split.rest.constant = dividend.constant;
  Factors factors;
  take_apart(divisor.terms[0].symbol, factors);
  for (const Term& term : dividend.terms) {
    std::optional<Factors> left;
    if (term.factor % divisor.terms[0].factor == 0) left = without(term, factors);
    if (!left) {
      split.rest.terms.push_back(term);
      continue;
    }
    std::ranges::sort(*left, {}, &Symbol::age);
    Sum whole{.constant = 1};
    for (Symbol* factor : *left) whole = product(whole, to_sum(Dim(factor)), generation);
    add(split.whole, whole, term.factor / divisor.terms[0].factor);
  }
  split.exact = split.rest.is_zero();
  return split;
}

Split split(const Sum& dividend, const Sum& divisor, int32_t generation) {
  if (divisor.terms.empty()) return split_by_number(dividend, divisor.constant);
  if (dividend.is_zero()) return {.exact = true};
  if (const auto factor = multiple(dividend, divisor)) {
    return {.whole = {.constant = *factor}, .exact = true};
  }
  if (divisor.terms.size() > 1 || divisor.constant != 0) {
    return {.rest = dividend, .divisor = divisor};
  }
  return split_by_product(dividend, divisor, generation);
}

void watch(Facts& facts, Quotient* quotient) {
  for (const Dim& dim : {quotient->dividend, quotient->divisor}) {
    visit_symbols(dim,
                  [&](Symbol* symbol) { facts.watch(quotient, static_cast<Variable*>(symbol)); });
  }
}

Symbol* quotient_symbol(const Split& key, int32_t generation) {
  const size_t hash = hash_of(key);
  if (const Quotient* known = look_up_quotient(key, hash)) return known->out;
  Facts& facts = facts_of(lead_of(key));
  Quotient* made = facts.arena().make<Quotient>();
  made->origin = facts.current;
  made->generation = generation;
  made->dividend = to_dim(key.rest);
  made->divisor = to_dim(key.divisor);
  made->out = facts.symbol({}, is_size(key.rest) && is_size(key.divisor));
  notes_of(made->out).quotient = made;
  enter(lead_of(key), hash, made);
  watch(facts, made);
  return made->out;
}

}  // namespace

Sum quotient(const Sum& a, const Sum& b, int32_t generation) {
  const Split parts = split(a, b, generation);
  Sum result = parts.whole;
  if (!parts.exact) add(result, resolved_sum(Dim(quotient_symbol(parts, generation))));
  return result;
}

bool Quotient::progress(Facts& facts) {
  const Dim over = resolve(dividend), under = resolve(divisor);
  const Split parts = split(to_sum(over), to_sum(under), generation + 1);
  if (parts.exact) {
    redefine(facts, *this, to_dim(parts.whole));
    return true;
  }
  if (!parts.whole.is_zero() && generation <= last_generation) {
    Sum now = parts.whole;
    add(now, resolved_sum(Dim(quotient_symbol(parts, generation + 1))));
    redefine(facts, *this, to_dim(now));
    return true;
  }
  save(dividend);
  save(divisor);
  if (!parts.whole.is_zero()) {  // in normal form no more, but it still learns numbers
    dividend = over;
    divisor = under;
    watch(facts, this);
    return false;
  }
  dividend = to_dim(parts.rest);
  divisor = to_dim(parts.divisor);
  if (is_size(parts.rest) && is_size(parts.divisor)) make_size(facts, out);
  const size_t hash = hash_of(parts);
  const Quotient* other = look_up_quotient(parts, hash);
  if (other && other != this) {
    facts.unify(Dim(out), Dim(other->out));
    return true;
  }
  if (!other) enter(lead_of(parts), hash, this);
  watch(facts, this);
  return false;
}

}  // namespace mithril
