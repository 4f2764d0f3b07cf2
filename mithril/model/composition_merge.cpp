// Merging an expression into a model.
#include "mithril/base/error.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/undo.hpp"

namespace mithril {

// Merges an expression into this model: its parts, its named inputs, and its facts.
void Composition::absorb(const std::shared_ptr<Composite>& expression) {
  Composite& from = *expression;
  adopted_.push_back(expression);
  const auto moved = std::make_shared<std::vector<std::shared_ptr<Part>>>();  // kept for the undo
  on_undo([expression, moved] {
    if (!expression->merged_into) return;
    expression->parts = std::move(*moved);
    expression->merged_into.reset();
  });
  from.merged_into = here_.shared_from_this();
  moved->swap(from.parts);
  for (const auto& part : *moved) here_.adopt_child(part);
  const Origin outer = facts_.current;
  facts_.current = {};  // equal keys and sizes do not come from a port
  take_keys(from);
  facts_.current = outer;
  take_extras(from);
  for (const StatedFact& fact : from.statements) here_.note(fact);
  take_canonical(from.canonical_inputs, from.canonical_outputs);
}

void Composition::take_keys(Composite& from) {
  for (const Key& key : from.keys) {
    if (const Key* mine = here_.find_key(*key.name)) {
      join_named({std::string(*key.name), mine->wire}, {"joined by", key.wire});
    } else {
      here_.add_key(*key.name, key.wire);
    }
  }
  if (!from.extras) return;
  for (const auto& [name, dim] : from.extras->symbols) {
    auto& symbols = here_.more().symbols;
    const auto at = symbols.find(name);
    if (at == symbols.end()) {
      on_undo([&symbols, kept = name] { symbols.erase(kept); });
      symbols.emplace(name, dim);
      continue;
    }
    try {
      facts_.unify(at->second, dim);
    } catch (const Error& error) {
      raise_at(error, name);
    }
  }
}

void Composition::take_extras(Composite& from) {
  if (!from.extras) return;
  Extras& to = here_.more();
  on_undo([&to, states = to.states.size(), literals = to.literals.size(),
           distributions = to.distributions.size(), intervals = to.intervals.size()] {
    to.states.erase(to.states.begin() + static_cast<long>(states), to.states.end());
    to.literals.erase(to.literals.begin() + static_cast<long>(literals), to.literals.end());
    to.distributions.erase(to.distributions.begin() + static_cast<long>(distributions),
                           to.distributions.end());
    to.intervals.erase(to.intervals.begin() + static_cast<long>(intervals), to.intervals.end());
  });
  const Extras& extras = *from.extras;
  to.states.insert(to.states.end(), extras.states.begin(), extras.states.end());
  to.literals.insert(to.literals.end(), extras.literals.begin(), extras.literals.end());
  to.distributions.insert(to.distributions.end(), extras.distributions.begin(),
                          extras.distributions.end());
  to.intervals.insert(to.intervals.end(), extras.intervals.begin(), extras.intervals.end());
}

}  // namespace mithril
