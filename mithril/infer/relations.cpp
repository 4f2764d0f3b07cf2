// Waiting and waking: lists of watches, the queue of relations, and memory used again.
#include "mithril/base/interrupt.hpp"
#include "mithril/infer/facts.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {

// Immutable once it is in a list, so undoing only saves the head of the list.
struct Watch {
  Relation* relation;
  Watch* next;
  int32_t stamp;
};

void Facts::post(Relation* relation) {
  if (relation->state_.queued) return;
  relation->state_.queued = true;
  relation->next_ = nullptr;
  (queue_ ? queue_end_->next_ : queue_) = relation;
  queue_end_ = relation;
}

void Facts::watch(Relation* relation, Variable* variable) {
  variable = find(variable);
  Watch* watch = new_watch();
  *watch = {relation, variable->watches, relation->state_.stamp};
  save(variable->watches);
  variable->watches = watch;
}

void Facts::watch(Relation* relation, const Dim& dim) {
  const Dim now = mithril::resolve(dim);
  if (Symbol* symbol = now.symbol()) return watch(relation, static_cast<Variable*>(symbol));
  if (!now.polynomial()) return;
  for (const Term& term : now.polynomial()->terms()) {
    watch(relation, static_cast<Variable*>(term.symbol));
  }
}

void Facts::wake(Variable* variable) {
  Watch* list = variable->watches;
  if (!list) return;
  for (const Watch* watch = list; watch; watch = watch->next) {
    const Relation::State& state = watch->relation->state_;
    if (watch->stamp == state.stamp && !state.done) post(watch->relation);
  }
  save(variable->watches);
  variable->watches = nullptr;
  if (Trail* trail = Trail::active()) {
    trail->consumed.emplace_back(this, list);
  } else {
    reuse(list);
  }
}

void Facts::settle() {
  const Origin outer = current;
  check_interrupt();
  for (int tried = 1; queue_; ++tried) {
    if (tried % 64 == 0) check_interrupt();
    Relation* relation = queue_;
    queue_ = relation->next_;
    Relation::State& state = relation->state_;
    state.queued = false;
    if (state.done) {  // it had woken itself in its last try
      retire(relation);
      continue;
    }
    save(state);
    ++state.stamp;
    ++steps;
    current = relation->origin;
    if (!relation->progress(*this)) continue;
    state.done = true;
    if (!state.queued) retire(relation);
  }
  current = outer;
}

// Undoing never restores objects that were made in the meantime, so they may be reused immediately.
void Facts::retire(Relation* finished) {
  Trail* trail = Trail::active();
  if (trail && !finished->state_.fresh) {
    trail->finished.emplace_back(this, finished);
  } else {
    reuse(finished);
  }
}

void Facts::note_fresh(Relation* made) {
  Trail* trail = Trail::active();
  if (!trail) return;
  made->state_.fresh = true;
  trail->fresh.push_back(made);
}

void Facts::abandon() {
  for (; queue_; queue_ = queue_->next_) queue_->state_.queued = false;
}

// Waking the loser's watches is enough: a relation that can profit mentions both, so it stands in
// both lists, and keys are written with roots, so that only the loser's are outdated. Each time the
// class that a relation stands in loses, its rank grows, so a chain that grows one big class costs
// n log n at most.
Variable* Facts::merge_variables(Variable* a, Variable* b) {
  if (a->rank < b->rank) std::swap(a, b);
  if (a->rank == b->rank) {
    save(a->rank);
    ++a->rank;
  }
  link(b, a);
  return a;
}

void Facts::link(Variable* child, Variable* root) {
  wake(child);
  save(*child);
  child->linked = true;
  child->parent = root;
}

namespace {

// Lists are circular and known by their last element, so that two of them join in constant time.
template <typename T>
void add_to_ring(T*& last, T* element, T* T::*next) {
  element->*next = last ? last->*next : element;
  if (last) last->*next = element;
  last = element;
}

template <typename T>
T* take_from_ring(T*& last, T* T::*next) {
  if (!last) return nullptr;
  T* first = last->*next;
  last->*next = first->*next;
  if (first == last) last = nullptr;
  return first;
}

template <typename T>
void join_rings(T*& last, T*& other, T* T::*next) {
  if (last && other) std::swap(last->*next, other->*next);
  if (!last) last = other;
  other = nullptr;
}

}  // namespace

Watch* Facts::new_watch() {
  if (Watch* idle = take_from_ring(idle_watches_, &Watch::next)) return idle;
  return static_cast<Watch*>(arena_.allocate(sizeof(Watch)));
}

void Facts::reuse(Watch* list) {
  while (list) {
    Watch* watch = list;
    list = watch->next;
    add_to_ring(idle_watches_, watch, &Watch::next);
  }
}

// The stamp keeps growing, because outdated watches still read it.
void Facts::reuse(Relation* finished) {
  const uint8_t size_class = finished->state_.size_class;
  if (size_class == 0) return;
  ++finished->state_.stamp;
  add_to_ring(idle_relations_[size_class - 1u], finished, &Relation::next_);
}

Facts::RelationRoom Facts::room_for_relation(size_t bytes) {
  constexpr size_t unit = 16;
  const size_t size_class = (bytes + unit - 1) / unit;
  if (size_class > idle_relations_.size()) return {arena_.allocate(bytes), {}};
  Relation*& idle = idle_relations_[size_class - 1];
  Relation::State state;
  state.size_class = static_cast<uint8_t>(size_class);
  if (Relation* again = take_from_ring(idle, &Relation::next_)) {
    state.stamp = again->state_.stamp;
    return {again, state};
  }
  return {arena_.allocate(size_class * unit), state};
}

void Facts::take_over(Facts& other) {
  if (other.home_) {
    other.home_->parent = home();
    other.home_->offset = last_id_;
    last_id_ += other.last_id_;
  }
  if (other.queue_) {
    (queue_ ? queue_end_->next_ : queue_) = other.queue_;
    queue_end_ = other.queue_end_;
  }
  join_rings(idle_watches_, other.idle_watches_, &Watch::next);
  for (size_t i = 0; i < idle_relations_.size(); ++i) {
    join_rings(idle_relations_[i], other.idle_relations_[i], &Relation::next_);
  }
  arena_.adopt(other.arena_);
  steps += other.steps;
  other.home_ = nullptr;
  other.queue_ = nullptr;
  other.last_id_ = 0;
  other.steps = 0;
}

Attempt::Attempt(Facts& facts)
    : facts_(facts), outermost_(!Trail::active()), current_(facts.current) {
  if (!outermost_) return;
  for (Relation* queued = facts.queue_; queued; queued = queued->next_) queued_.push_back(queued);
  Trail::activate(facts);
}

Attempt::~Attempt() {
  if (!outermost_) return;
  Trail::active()->roll_back();
  Trail::deactivate();
  facts_.abandon();
  for (Relation* queued : queued_) facts_.post(queued);
  facts_.current = current_;
}

void Attempt::commit() {
  if (!outermost_) return;
  outermost_ = false;
  Trail& trail = *Trail::active();
  Trail::deactivate();
  for (Relation* relation : trail.fresh) relation->state_.fresh = false;
  for (const auto& [facts, list] : trail.consumed) facts->reuse(list);
  for (const auto& [facts, relation] : trail.finished) facts->reuse(relation);
  for (const auto& [facts, other] : trail.adoptions) facts->take_over(*other);
  facts_.current = current_;
  trail.clear();
}

}  // namespace mithril
