// A variable of inference: a class of equal unknowns, with the origin of what is known about it.
#pragma once
#include <cstdint>

#include "mithril/infer/note.hpp"

namespace mithril {

struct Part;  // the part of a model that stated a fact; this layer only passes the pointer on

// The origin of a fact: a port of a part ("from encoder.fc1.weight"), or, without a part, a call
// ("given by set_shapes(...)"). `what` lives as long as the facts do: a port's name in an op's
// record, or a note (Facts::note).
struct Origin {
  const Part* part = nullptr;
  Note what = {};
};

struct Polynomial;  // infer/symbol.hpp
struct Watch;       // infer/facts.hpp: private to it

// A union-find node with a list of the relations that wait for it.
struct Variable {
  union {
    Variable* parent = nullptr;  // its parent in the union-find forest
    int64_t number;              // the definition of a bound symbol: see symbol.hpp
    const Polynomial* polynomial;
  };
  Watch* watches = nullptr;
  Origin origin;
  uint8_t rank = 0;
  bool linked = false;
};
// Union-find without path compression: union by rank keeps paths short, and undo stays simple.
template <typename T>
T* find(T* variable) {
  while (variable->linked) variable = static_cast<T*>(variable->parent);
  return variable;
}

}  // namespace mithril
