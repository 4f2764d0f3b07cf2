// Products and quotients: symbols with a defining relation. Equal keys are one class (congruence),
// so each is interned under the first symbol of its key.
#pragma once
#include <cstdint>
#include <span>

#include "mithril/infer/facts.hpp"
#include "mithril/infer/polynomial.hpp"

namespace mithril {

// How many rewritings in a row may have made an application: a definition that runs into itself
// could be rewritten for ever.
constexpr int32_t last_generation = 6;

// Made in the arena, not by Facts::make: tables and symbols go on pointing to it when it has
// finished.
struct Application : Relation {
  Symbol* out = nullptr;
  int32_t generation = 0;
  bool multiplies = false;  // a Product

 protected:
  ~Application() = default;
};

// out == left * right.
struct Product final : Application {
  Product() { multiplies = true; }
  Symbol *left = nullptr, *right = nullptr;
  // The key: both operands as lists of factors that are not products, sorted by age.
  Symbol** factors = nullptr;
  uint32_t size = 0;
  std::span<Symbol* const> key() const { return {factors, size}; }
  bool progress(Facts& facts) override;

 private:
  bool multiply_out(Facts& facts, const Dim& a, const Dim& b);
};

// out == floor(dividend / divisor), which are the key, in the normal form of `split`.
struct Quotient final : Application {
  Dim dividend, divisor;
  bool progress(Facts& facts) override;
};

// dividend // divisor == whole + rest // divisor.
struct Split {
  Sum whole, rest, divisor;
  bool exact = false;  // no rest
};

Sum product(const Sum& a, const Sum& b, int32_t generation = 0);   // of resolved ones
Sum quotient(const Sum& a, const Sum& b, int32_t generation = 0);  // of resolved ones
// A free root taken apart into factors that are not products. A product that contains its own class
// stays whole.
using Factors = SmallVector<Symbol*, 8>;
void take_apart(Symbol* root, Factors& factors);

// Binds a free root, or adds a relation that keeps it non-negative.
void bind(Facts& facts, Symbol* root, const Dim& dim);
// Adds the application's out == dim after `out` has become known as `dim`.
void redefine(Facts& facts, const Application& application, const Dim& dim);
// Marks the symbol, and the symbols that follow from it, as sizes.
void make_size(Facts& facts, Symbol* root);
bool is_size(const Sum& sum);

}  // namespace mithril
