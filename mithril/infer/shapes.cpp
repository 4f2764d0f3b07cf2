// Shapes: taking runs apart, making one of two.
#include "mithril/infer/shape_window.hpp"

#include <algorithm>

namespace mithril {

void ShapeWindow::expand() {
  while (run_) {
    run_ = find(run_);
    if (!run_->bound) return;
    origin_ = run_->origin;
    const StoredShape& definition = run_->definition;
    add_outside(definition.head(), definition.tail());
    run_ = definition.run;
  }
  // Without a run, all of them can be taken from either end.
  while (!back_.empty()) {
    front_.push_back(back_.back());
    back_.pop_back();
  }
}

void ShapeWindow::add_outside(std::span<const Dim> head, std::span<const Dim> tail) {
  front_.append(head.data(), head.data() + head.size());
  for (size_t i = tail.size(); i > 0; --i) back_.push_back(tail[i - 1]);
}

Shape ShapeWindow::shape() const {
  Shape shape;
  shape.run = run_;
  std::vector<Dim>& front = run_ ? shape.head : shape.tail;
  front.assign(front_.begin() + taken_front_,
               front_.end() - (run_ ? 0 : static_cast<ptrdiff_t>(taken_back_)));
  for (size_t i = back_.size(); i > taken_back_; --i) shape.tail.push_back(back_[i - 1]);
  return shape;
}

StoredShape ShapeWindow::store(Facts& facts) const {
  StoredShape stored;
  stored.run = run_;
  const size_t front = run_ ? fronts() : 0, back = backs(), count = front + back;
  stored.head_size = static_cast<uint32_t>(front);
  stored.tail_size = static_cast<uint32_t>(back);
  if (count == 0) return stored;
  Dim* dims = static_cast<Dim*>(facts.arena().allocate(count * sizeof(Dim)));
  const Dim* first = front_.begin() + taken_front_;
  stored.dims = dims;
  if (!run_) {
    std::copy(first, first + count, dims);
    return stored;
  }
  dims = std::copy(first, first + front, dims);
  for (size_t i = back_.size(); i > taken_back_; --i) *dims++ = back_[i - 1];
  return stored;
}

namespace {

// [A] t == h [B]: they may overlap, so it waits for either run.
struct SameShape final : Relation {
  StoredShape a, b;
  bool progress(Facts& facts) override {
    facts.unify(a, b);
    return true;
  }
};

}  // namespace

void bind(Facts& facts, Run* run, const StoredShape& definition) {
  save(*run);
  run->bound = true;
  run->definition = definition;
  run->origin = facts.current;
  facts.wake(run);
}

void unify(Facts& facts, const ShapeWindow& whole_a, const ShapeWindow& whole_b) {
  ShapeWindow a = whole_a, b = whole_b;
  const auto ranks_differ = [&] {
    facts.conflict(ErrorKind::shape, "E0201", "ranks differ", to_string(whole_a.shape()),
                   to_string(whole_b.shape()), whole_a.origin(), whole_b.origin());
  };
  if (!a.run() && !b.run() && a.fronts() != b.fronts()) ranks_differ();
  while (a.fronts() > 0 && b.fronts() > 0) facts.unify(a.take_front(), b.take_front());
  while (a.backs() > 0 && b.backs() > 0) facts.unify(a.take_back(), b.take_back());
  if (!a.run() && !b.run()) return;
  if (a.run() == b.run()) {
    if (a.fronts() + a.backs() != b.fronts() + b.backs()) ranks_differ();
    if (a.is_bare()) return;
  }
  if (a.is_bare() && b.is_bare()) {
    facts.merge(a.run(), b.run());
  } else if (a.is_bare()) {
    bind(facts, a.run(), b.store(facts));
  } else if (b.is_bare()) {
    bind(facts, b.run(), a.store(facts));
  } else {
    if (!a.run() || !b.run()) ranks_differ();
    SameShape* relation = facts.make<SameShape>();
    relation->a = a.store(facts);
    relation->b = b.store(facts);
    relation->origin = facts.current;
    facts.watch(relation, static_cast<Variable*>(a.run()));
    facts.watch(relation, static_cast<Variable*>(b.run()));
  }
}

namespace {

// The free run that is all of the shape, or null.
Run* bare_run(const StoredShape& shape) {
  if (!shape.run || shape.head_size + shape.tail_size > 0) return nullptr;
  Run* run = find(shape.run);
  return run->bound ? nullptr : run;
}

}  // namespace

void Facts::unify(const StoredShape& a, const StoredShape& b) {
  Run *left = bare_run(a), *right = bare_run(b);
  if (left && left == right) return;
  if (left && right) {
    merge(left, right);
    return;
  }
  // A shape of known rank is shared, not copied.
  if (left && !b.run) return bind(*this, left, b);
  if (right && !a.run) return bind(*this, right, a);
  mithril::unify(*this, ShapeWindow(a), ShapeWindow(b));
}

void Facts::unify(const Shape& a, const Shape& b) {
  mithril::unify(*this, ShapeWindow(a), ShapeWindow(b));
}

void Facts::unify(const StoredShape& a, std::span<const Dim> dims) {
  mithril::unify(*this, ShapeWindow(a), ShapeWindow(dims));
}

Shape Facts::resolve(const StoredShape& shape) { return ShapeWindow(shape).shape(); }

Shape Facts::resolve(const Shape& shape) { return ShapeWindow(shape).shape(); }

bool Facts::known(const StoredShape& shape, std::vector<Dim>& dims) {
  const ShapeWindow window(shape);
  if (window.run()) return false;
  dims = window.shape().tail;
  return true;
}

std::string to_string(const Shape& unresolved) {
  const Shape shape = Facts::resolve(unresolved);
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
  for (const Dim& dim : shape.head) add(to_string(dim));
  if (shape.run) add("...");
  for (const Dim& dim : shape.tail) add(to_string(dim));
  return "[" + text + "]";
}

}  // namespace mithril
