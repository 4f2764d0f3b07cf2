#include "mithril/optim/line_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace mithril {
namespace {

constexpr double sufficient_decrease = 1e-4, curvature = 0.9;
constexpr int most_evaluations = 25;

// The minimum of the cubic through two points with their slopes, between the bounds; their middle
// if it has none.
double cubic_minimum(const LinePoint& a, const LinePoint& b, double low, double high) {
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.step - b.step);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const double d2 = std::sqrt(square);
  const LinePoint &left = a.step <= b.step ? a : b, &right = a.step <= b.step ? b : a;
  const double at = right.step - (right.step - left.step) * ((right.slope + d2 - d1) /
                                                             (right.slope - left.slope + 2 * d2));
  return std::min(std::max(at, low), high);
}

class Search {
 public:
  Search(const std::function<LinePoint(double)>& at, const LinePoint& begin, double largest,
         double tolerance)
      : at_(at), begin_(begin), largest_(largest), tolerance_(tolerance) {}

  LinePoint run(double first_step) {
    if (!find_bracket(first_step)) zoom();
    return bracket_[low_];
  }

 private:
  bool is_high(const LinePoint& point) const {
    return point.loss > begin_.loss + sufficient_decrease * point.step * begin_.slope;
  }
  bool is_flat(const LinePoint& point) const {
    return std::abs(point.slope) <= -curvature * begin_.slope;
  }
  void order() { low_ = bracket_[0].loss <= bracket_[1].loss ? 0 : 1; }
  LinePoint& high() { return bracket_[1 - low_]; }

  // Lengthens the step until it brackets a minimum. Returns whether the last one is the result.
  bool find_bracket(double step) {
    LinePoint before = begin_, now = at_(step);
    for (; used_ < most_evaluations; ++used_) {
      const bool rises = used_ > 1 && now.loss >= before.loss;
      if (is_high(now) || rises || (!is_flat(now) && now.slope >= 0)) {
        bracket_ = {std::move(before), std::move(now)};
        order();
        return false;
      }
      if (is_flat(now)) {
        bracket_[low_] = std::move(now);
        return true;
      }
      step = cubic_minimum(before, now, now.step + 0.01 * (now.step - before.step), now.step * 10);
      before = std::exchange(now, at_(step));
    }
    bracket_ = {begin_, std::move(now)};
    order();
    return false;
  }

  // A step inside of the bracket, away from its ends.
  double inner_step() {
    const auto [low, high] = std::minmax(bracket_[0].step, bracket_[1].step);
    const double step = cubic_minimum(bracket_[0], bracket_[1], low, high);
    const double margin = 0.1 * (high - low);
    const bool is_near_an_end = std::min(high - step, step - low) < margin;
    const bool moves = is_near_an_end && (was_near_an_end_ || step >= high || step <= low);
    was_near_an_end_ = is_near_an_end && !moves;
    if (!moves) return step;
    return std::abs(step - high) < std::abs(step - low) ? high - margin : low + margin;
  }

  // Shrinks the bracket.
  void zoom() {
    for (; used_ < most_evaluations; ++used_) {
      if (std::abs(bracket_[1].step - bracket_[0].step) * largest_ < tolerance_) return;
      LinePoint now = at_(inner_step());
      if (is_high(now) || now.loss >= bracket_[low_].loss) {
        high() = std::move(now);
        order();
        continue;
      }
      const bool done = is_flat(now);
      if (!done && now.slope * (high().step - bracket_[low_].step) >= 0) high() = bracket_[low_];
      bracket_[low_] = std::move(now);
      if (done) return;
    }
  }

  const std::function<LinePoint(double)>& at_;
  const LinePoint& begin_;
  const double largest_, tolerance_;
  std::array<LinePoint, 2> bracket_;
  size_t low_ = 0;  // the end of the bracket with the lower loss
  int used_ = 0;    // evaluations after the first one
  bool was_near_an_end_ = false;
};

}  // namespace

LinePoint strong_wolfe(const std::function<LinePoint(double step)>& at, const LinePoint& begin,
                       double first_step, double largest, double tolerance) {
  return Search(at, begin, largest, tolerance).run(first_step);
}

}  // namespace mithril
