// Growing tables so that undoing is writing back the old ones.
#include "mithril/infer/intern.hpp"

#include <algorithm>

namespace mithril {
namespace {

InternTable::Entry& free_place(const InternTable& table, size_t hash) {
  for (size_t at = hash;; ++at) {
    InternTable::Entry& entry = table.entries[at & (table.capacity - 1)];
    if (!entry.application) return entry;
  }
}

// The old entries stay as they are, for undoing.
void grow(Facts& facts, InternTable& table) {
  InternTable larger;
  larger.capacity = std::max(4u, 2 * table.capacity);
  larger.size = table.size;
  const size_t bytes = larger.capacity * sizeof(InternTable::Entry);
  larger.entries = static_cast<InternTable::Entry*>(facts.arena().allocate(bytes));
  std::fill_n(larger.entries, larger.capacity, InternTable::Entry{0, nullptr});
  for (uint32_t i = 0; i < table.capacity; ++i) {
    const InternTable::Entry& entry = table.entries[i];
    if (entry.application) free_place(larger, entry.hash) = entry;
  }
  table = larger;
}

}  // namespace

SymbolNotes& notes_of(Symbol* symbol) {
  if (!symbol->notes) {
    save(symbol->notes);
    symbol->notes = facts_of(symbol).make<SymbolNotes>();
  }
  return *symbol->notes;
}

void enter(Symbol* lead, size_t hash, Application* application) {
  SymbolNotes& notes = notes_of(lead);
  Facts& facts = facts_of(lead);
  if (!notes.interned) {
    save(notes.interned);
    notes.interned = facts.make<InternTable>();
  }
  InternTable& table = *notes.interned;
  save(table);
  if (4 * (table.size + 1) > 3 * table.capacity) grow(facts, table);
  InternTable::Entry& place = free_place(table, hash);
  save(place);
  place = {hash, application};
  ++table.size;
}

}  // namespace mithril
