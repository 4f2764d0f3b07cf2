// The parts of a Dim: symbols (union-find) and polynomials of them.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "mithril/infer/dim.hpp"
#include "mithril/infer/variable.hpp"

namespace mithril {

class Facts;
struct InternTable;
struct Product;
struct Quotient;

// The owner of symbols and of their derived data. Forwarded when facts are adopted; the ids of its
// symbols then follow the ids of the adopting facts.
struct Home {
  Facts* facts = nullptr;  // if it has no parent
  Home* parent = nullptr;
  int32_t offset = 0;
};

// Members that few symbols need.
struct SymbolNotes {
  Note name;
  int64_t name_age = 0;        // of the symbol that it was given to
  Product* product = nullptr;  // of a root: the product that this class equals
  Quotient* quotient = nullptr;
  InternTable* interned = nullptr;  // products and quotients whose key this symbol leads
};

struct Symbol : Variable {
  enum class Form : uint8_t { free, constant, symbol, polynomial };  // of its definition
  Form form = Form::free;                                            // only a root is bound
  bool size = true;                                                  // never negative
  int32_t id = 0;  // among the symbols of one Facts: for text and for hashes
  Home* home = nullptr;
  // The order of all symbols. One counter serves the process, because symbols of different Facts
  // are compared before one adopts the other. Only the order is used, so a thread's results do not
  // depend on other threads.
  int64_t age = 0;
  SymbolNotes* notes = nullptr;

  bool bound() const { return form != Form::free; }
  Dim definition() const;  // of a bound one
  void set_definition(const Dim& dim);
  Note name() const { return notes ? notes->name : Note(); }  // null: nameless
  Product* product() const { return notes ? notes->product : nullptr; }
  Quotient* quotient() const { return notes ? notes->quotient : nullptr; }
};
static_assert(sizeof(Symbol) <= 64);

// The origin of the symbol; empty for results of arithmetic.
inline Origin origin_of(const Dim& dim) {
  return dim.symbol() ? find(dim.symbol())->origin : Origin{};
}

struct Term {
  int64_t factor;
  Symbol* symbol;
};

// Immutable, in an arena, terms right behind it: sorted by age, no factor zero, and more than one
// symbol alone.
struct Polynomial {
  int64_t constant = 0;
  uint32_t size = 0;
  mutable bool outdated = false;  // its symbols have changed since `now` was computed
  mutable Dim now;

  std::span<const Term> terms() const { return {reinterpret_cast<const Term*>(this + 1), size}; }
};

}  // namespace mithril
