// Slices by Python's rules: the selected items, and their number if sizes are symbolic.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mithril/infer/application.hpp"
#include "mithril/infer/datum.hpp"
#include "mithril/infer/item_range.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

// The number of steps of that length, forwards or backwards, that start within a non-negative span.
inline Dim steps_in(const Dim& span, int64_t step) {
  const int64_t stride = std::abs(std::max(step, -std::numeric_limits<int64_t>::max()));
  return stride == 1 ? span : floor_divide(span - Dim(1), Dim(stride)) + Dim(1);
}

// The number of items in a slice of `size` items, if one formula holds for all sizes: x[1:] of
// n + 1 items has n. If x has n items, it has max(0, n - 1), which no Dim expresses.
// Otherwise none, and the solver waits for the size.
class SliceCount {
 public:
  SliceCount(Solver& s, const Slice& slice, const Dim& size)
      : s_(s), slice_(slice), size_(resolve(size)) {}

  std::optional<Dim> run() {
    if (!read_step()) return std::nullopt;
    if (slice_.start.is_none() && slice_.stop.is_none()) return steps_in(size_, step_);
    const Dim low = step_ > 0 ? Dim(0) : Dim(-1), high = step_ > 0 ? size_ : size_ - Dim(1);
    const auto start = place(slice_.start, low, high, step_ > 0 ? low : high);
    const auto stop = place(slice_.stop, low, high, step_ > 0 ? high : low);
    if (!start || !stop) return std::nullopt;
    const Dim span = step_ > 0 ? *stop - *start : *start - *stop;
    if (at_least(Dim(0), span)) return Dim(0);
    if (at_least(span, Dim(0))) return steps_in(span, step_);
    return undecided(span);
  }

 private:
  // a >= b for all that the sizes can still be.
  static bool at_least(const Dim& a, const Dim& b) {
    const Dim more = resolve(a - b);
    return is_size(more) || is_size(resolve(lower_bound(more)));
  }

  // The sum with n in the place of d * (n // d), which it subtracts and which is at most n.
  static Dim lower_bound(const Dim& sum) {
    Dim bound = sum;
    if (!sum.polynomial()) return bound;
    for (const Term& term : sum.polynomial()->terms()) {
      const Quotient* quotient = term.factor < 0 ? term.symbol->quotient() : nullptr;
      if (!quotient || !resolve(quotient->divisor).is_constant(-term.factor)) continue;
      bound = bound + Dim(-term.factor) * Dim(term.symbol) - quotient->dividend;
    }
    return bound;
  }

  bool read_step() {
    for (const Datum* bound : {&slice_.start, &slice_.stop, &slice_.step}) {
      if (!(bound->kind() & (kind::int_value | kind::none))) {
        s_.reject("a bound of a slice is neither an int nor None", "an int or None",
                  to_string(*bound));
      }
    }
    if (slice_.step.is_none()) return true;
    if (!s_.number(slice_.step.dim(), step_)) return false;
    if (step_ == 0) s_.reject("the step of a slice is 0", "another step", "0");
    return true;
  }

  std::optional<Dim> undecided(const Dim& dim) {
    s_.await(resolve(dim));
    s_.await(size_);
    return std::nullopt;
  }

  std::optional<Dim> place(const Datum& bound, const Dim& low, const Dim& high, const Dim& absent) {
    if (bound.is_none()) return absent;
    Dim at = resolve(bound.dim());
    if (!is_size(at)) {
      if (!at_least(Dim(-1), at)) return undecided(at);
      at = at + size_;
    }
    if (at_least(low, at)) return low;
    if (at_least(at, high)) return high;
    if (at_least(at, low) && at_least(high, at)) return at;
    return undecided(at);
  }

  Solver& s_;
  const Slice& slice_;
  const Dim size_;
  int64_t step_ = 1;
};

// States the number of the `size` items that a slice selects; true if nothing is left to learn. A
// known number determines the size if the slice leaves out a known number of items at either end.
inline bool solve_slice_count(Solver& s, const Slice& slice, const Dim& size, const Dim& count) {
  if (const auto known = SliceCount(s, slice, size).run()) {
    s.same(count, *known);
    return true;
  }
  const Dim taken = resolve(count);
  if (!is_size(resolve(taken - Dim(1)))) return s.await(taken);
  auto number = [](const Datum& bound, int64_t absent) {
    if (bound.is_none()) return std::optional(absent);
    const Dim now = resolve(bound.dim());
    return now.is_constant() ? std::optional(now.constant()) : std::nullopt;
  };
  const auto start = number(slice.start, 0), stop = number(slice.stop, 0),
             step = number(slice.step, 1);
  if (!start || !stop || step != 1 || *start < 0 || *stop > 0 ||
      (*stop == 0 && !slice.stop.is_none()))
    return false;
  s.same(size, taken + Dim(*start) - Dim(*stop));
  return true;
}

}  // namespace mithril
