// Connectionist temporal classification of one sample: the likelihood of all paths that give its
// labels (https://www.cs.toronto.edu/~graves/icml_2006.pdf), in logarithms.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace mithril {

inline constexpr double ctc_impossible = -std::numeric_limits<double>::infinity();

inline double ctc_sum(double a, double b) {
  const double top = std::max(a, b);
  if (top == ctc_impossible) return top;
  return top + std::log(std::exp(a - top) + std::exp(b - top));
}

// A path is in one state at each step: a label, or the blank before, between or after labels.
// `log_prob(step, label)` gives the logarithm of a probability.
template <typename LogProb>
class CtcPaths {
 public:
  CtcPaths(int64_t steps, std::vector<int64_t> labels, int64_t blank, LogProb log_prob)
      : steps_(steps), blank_(blank), labels_(std::move(labels)), log_prob_(log_prob) {
    forward_ = along([](int64_t step) { return step; }, [](int64_t state) { return state; });
  }

  int64_t steps() const { return steps_; }

  double log_likelihood() const {
    if (steps_ == 0) return labels_.empty() ? 0 : ctc_impossible;
    const double last = at(forward_, steps_ - 1, states() - 1);
    return labels_.empty() ? last : ctc_sum(last, at(forward_, steps_ - 1, states() - 2));
  }

  // Calls body(step, label, probability) for each step and state: the probability that a path is
  // there, of those that give the labels, of which there must be one.
  template <typename Body>
  void each_state(Body body) const {
    const auto mirrored = [this](int64_t state) { return states() - 1 - state; };
    const std::vector<double> backward =
        along([this](int64_t step) { return steps_ - 1 - step; }, mirrored);
    const double all = log_likelihood();
    for (int64_t step = 0; step < steps_; ++step) {
      for (int64_t state = 0; state < states(); ++state) {
        const double before = at(forward_, step, state);
        const double after = at(backward, steps_ - 1 - step, mirrored(state));
        const double both = before + after - log_prob_(step, label(state));
        const bool is_impossible = before == ctc_impossible || after == ctc_impossible;
        const double share = is_impossible ? 0 : std::exp(both - all);
        body(step, label(state), share);
      }
    }
  }

 private:
  int64_t states() const { return 2 * static_cast<int64_t>(labels_.size()) + 1; }
  int64_t label(int64_t state) const {
    return state % 2 == 0 ? blank_ : labels_[static_cast<size_t>(state / 2)];
  }
  double at(const std::vector<double>& table, int64_t step, int64_t state) const {
    return table[static_cast<size_t>(step * states() + state)];
  }

  // The sums over paths up to each step and state, which are counted by these functions: from the
  // start or from the end.
  template <typename Step, typename State>
  std::vector<double> along(Step step_of, State state_of) const {
    std::vector<double> table(static_cast<size_t>(steps_ * states()), ctc_impossible);
    for (int64_t k = 0; k < steps_; ++k) {
      for (int64_t j = 0; j < states(); ++j) {
        double sum = ctc_impossible;
        if (k == 0) {
          sum = j < 2 ? 0 : ctc_impossible;
        } else {
          sum = at(table, k - 1, j);
          if (j > 0) sum = ctc_sum(sum, at(table, k - 1, j - 1));
          if (j > 1 && may_skip(state_of(j), state_of(j - 2)))
            sum = ctc_sum(sum, at(table, k - 1, j - 2));
        }
        table[static_cast<size_t>(k * states() + j)] =
            sum + log_prob_(step_of(k), label(state_of(j)));
      }
    }
    return table;
  }

  // Whether the blank between two labels may be left out.
  bool may_skip(int64_t state, int64_t other) const {
    return state % 2 == 1 && label(state) != label(other);
  }

  int64_t steps_, blank_;
  std::vector<int64_t> labels_;
  LogProb log_prob_;
  std::vector<double> forward_;
};

}  // namespace mithril
