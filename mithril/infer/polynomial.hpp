// Linear polynomials of symbols, the working form of dims, and conversions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/infer/small_vector.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {

// Like a Polynomial, but free to change: terms sorted by age, no factor zero.
struct Sum {
  int64_t constant = 0;
  SmallVector<Term, 6> terms;
  bool is_zero() const { return constant == 0 && terms.empty(); }
};

// Raises E0205 if int64 cannot hold the result, or its negative.
int64_t plus(int64_t a, int64_t b);
int64_t times(int64_t a, int64_t b);
int64_t floor_quotient(int64_t a, int64_t b);    // towards minus infinity; b is not 0
int64_t floor_remainder(int64_t a, int64_t b);   // a - floor_quotient(a, b) * b; b is above 0
int64_t checked_quotient(int64_t a, int64_t b);  // the same; raises E0404 if b is 0

// Uses the current origin of this thread.
[[noreturn]] void raise_about_dims(ErrorKind kind, std::string code, std::string message,
                                   std::string left = {}, std::string right = {});

Sum to_sum(const Dim& resolved);
Dim to_dim(const Sum& sum);  // allocated in the facts of its first symbol
Sum resolved_sum(const Dim& dim);
void add(Sum& to, const Sum& sum, int64_t factor = 1);
void scale(Sum& sum, int64_t factor);
bool equal(const Sum& a, const Sum& b);
bool equal(const Dim& a, const Dim& b);  // of resolved ones

// The current normal form of a bound root's definition.
Dim definition_of(Symbol* root);
bool is_current(const Dim& dim);  // whether it is in normal form for the current facts
bool mentions(const Dim& resolved, const Symbol* root);
template <typename Visit>
void visit_symbols(const Dim& dim, Visit visit) {
  if (Symbol* symbol = dim.symbol()) visit(symbol);
  if (!dim.polynomial()) return;
  for (const Term& term : dim.polynomial()->terms()) visit(term.symbol);
}

Facts& facts_of(const Symbol* symbol);  // the facts that own its home now

}  // namespace mithril
