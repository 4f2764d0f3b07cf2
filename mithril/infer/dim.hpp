// Symbolic integers. A Dim is a constant, a symbol, or a linear polynomial of symbols. Quotients
// and nonlinear products are symbols too, interned, each with a defining relation, so dims do not
// nest. Symbols are opaque here: dim_arithmetic.cpp, polynomial.cpp, walk.cpp and dim_text.cpp
// implement the operations.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace mithril {

struct Symbol;
struct Polynomial;

// 16 bytes, trivially copyable. It points to memory of the Facts that made its symbols.
class Dim {
 public:
  Dim() = default;
  Dim(int number) : number_(number) {}
  Dim(int64_t number) : number_(number) {}
  explicit Dim(Symbol* symbol) : form_(Form::symbol), symbol_(symbol) {}
  explicit Dim(const Polynomial* polynomial) : form_(Form::polynomial), polynomial_(polynomial) {}

  bool is_constant() const { return form_ == Form::constant; }
  bool is_constant(int64_t number) const { return is_constant() && number_ == number; }
  int64_t constant() const;  // checked: only of a constant
  Symbol* symbol() const { return form_ == Form::symbol ? symbol_ : nullptr; }
  const Polynomial* polynomial() const { return form_ == Form::polynomial ? polynomial_ : nullptr; }

 private:
  enum class Form : uint8_t { constant, symbol, polynomial };
  Form form_ = Form::constant;
  union {
    int64_t number_ = 0;
    Symbol* symbol_;
    const Polynomial* polynomial_;
  };
};

// The normal form for the current facts: symbols are replaced by their class and its definition.
Dim resolve(const Dim& dim);
// Arithmetic; a result that int64 cannot hold is a ShapeError E0205.
Dim operator+(const Dim& a, const Dim& b);
Dim operator-(const Dim& a, const Dim& b);
Dim sum_of(std::span<const Dim> dims);  // faster than repeated addition if there are many
Dim operator*(const Dim& a, const Dim& b);
// Rounds towards minus infinity; dividing by zero is a ValueError E0404.
Dim floor_divide(const Dim& a, const Dim& b);
// Provably equal now.
bool same(const Dim& a, const Dim& b);
// Never negative: a constant >= 0, a size, or a sum of these. False if it is not known.
bool is_size(const Dim& dim);

// Symbols of a resolved dim, definitions of quotients and products not entered.
void each_symbol(const Dim& dim, const std::function<void(Symbol*)>& visit);

// The dim in other symbols. `memo` maps classes to their new dims; `fresh` makes a symbol for a
// class without a definition.
using Renaming = std::unordered_map<Symbol*, Dim>;
Dim rename(const Dim& dim, Renaming& memo, const std::function<Dim(Symbol*)>& fresh);

// The value of the dim for the given sizes of symbols; none if a size is missing. Caches results.
using Sizes = std::unordered_map<Symbol*, int64_t>;
std::optional<int64_t> evaluate(const Dim& dim, Sizes& sizes);

// "N", "2*h + 3", "(h + 1)//2"; nameless symbols are "_7".
std::string to_string(const Dim& dim);
std::string to_string(const std::vector<Dim>& dims);  // "[N, 3]"

}  // namespace mithril
