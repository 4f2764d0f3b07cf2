// A shape with its run expanded as far as known, whose dims are taken from either end.
#pragma once
#include <cstddef>
#include <span>

#include "mithril/infer/facts.hpp"
#include "mithril/infer/small_vector.hpp"

namespace mithril {

class ShapeWindow {
 public:
  explicit ShapeWindow(const StoredShape& shape) : run_(shape.run) {
    add_outside(shape.head(), shape.tail());
    expand();
  }
  explicit ShapeWindow(const Shape& shape) : run_(shape.run) {
    add_outside(shape.head, shape.tail);
    expand();
  }
  explicit ShapeWindow(std::span<const Dim> dims) {
    front_.append(dims.data(), dims.data() + dims.size());
  }

  Run* run() const { return run_; }  // null: the rank is known
  // The dims that are not taken yet. Without a run both ends count the same dims.
  size_t fronts() const { return front_.size() - taken_front_ - (run_ ? 0 : taken_back_); }
  size_t backs() const { return run_ ? back_.size() - taken_back_ : fronts(); }
  bool is_bare() const { return run_ && fronts() == 0 && backs() == 0; }
  Dim take_front() { return front_[taken_front_++]; }
  Dim take_back() {
    const size_t index = taken_back_++;
    return run_ ? back_[index] : front_[front_.size() - 1 - index];
  }
  // The remaining dims.
  Shape shape() const;
  StoredShape store(Facts& facts) const;
  // The origin of the last fact about the rank.
  Origin origin() const { return origin_; }

 private:
  void add_outside(std::span<const Dim> head, std::span<const Dim> tail);
  void expand();

  Run* run_ = nullptr;
  Origin origin_;
  SmallVector<Dim, 8> front_, back_;  // back: the last dim first
  size_t taken_front_ = 0, taken_back_ = 0;
};

// A free root gets a definition.
void bind(Facts& facts, Run* run, const StoredShape& definition);
void unify(Facts& facts, const ShapeWindow& a, const ShapeWindow& b);

}  // namespace mithril
