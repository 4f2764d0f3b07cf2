// What a Dim is made of: symbols (union-find), polynomials, and the definitions of quotients and products.
#pragma once
#include "mithril/infer/facts.hpp"

namespace mithril {

struct Application;
struct Home;        // where what is derived from a symbol is kept; forwarded when facts are adopted
struct Interned;    // applications whose key a symbol leads

struct Symbol : Variable {  // only a root is bound; id never changes
  int32_t id = 0;
  bool bound = false, size = true;
  const std::string* name = nullptr;  // kept by the facts; null: nameless
  Dim definition;
  Home* home = nullptr;
  Application *product = nullptr, *quotient = nullptr;  // of a root: what this class equals
  Interned* interned = nullptr;
};

struct Term {
  int64_t factor;
  Symbol* symbol;
};
struct Polynomial {  // immutable, in an arena; terms sorted by id, no zero factor
  int64_t constant = 0;
  uint32_t size = 0;
  const Term* terms = nullptr;
};

}  // namespace mithril
