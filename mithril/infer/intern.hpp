// A table of products and quotients by their key, kept with the symbol that leads the key.
#pragma once
#include <cstddef>
#include <cstdint>

#include "mithril/infer/application.hpp"

namespace mithril {

// Open addressing in the arena. Entries are only removed by undoing. Entries with outdated keys do
// no harm, because keys are compared in full.
struct InternTable {
  struct Entry {
    size_t hash;
    Application* application;
  };
  Entry* entries = nullptr;
  uint32_t capacity = 0, size = 0;  // a power of two
};

SymbolNotes& notes_of(Symbol* symbol);  // made on first use

void enter(Symbol* lead, size_t hash, Application* application);

template <typename Matches>
Application* look_up(const Symbol* lead, size_t hash, Matches matches) {
  const InternTable* table = lead->notes ? lead->notes->interned : nullptr;
  if (!table) return nullptr;
  for (size_t at = hash;; ++at) {
    const InternTable::Entry& entry = table->entries[at & (table->capacity - 1)];
    if (!entry.application) return nullptr;
    if (entry.hash == hash && matches(*entry.application)) return entry.application;
  }
}

inline size_t mix_hash(size_t hash, size_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15ull + (hash >> 29);
}

}  // namespace mithril
