// A learning rate that falls when a score stops improving.
#pragma once

#include <cstdint>
#include <limits>

#include "mithril/optim/optimizer.hpp"

namespace mithril {

struct PlateauOptions {
  bool maximize = false;       // a larger score is better
  double factor = 0.1;         // the rate is multiplied by it
  std::int64_t patience = 10;  // scores without improvement that are allowed
  double threshold = 1e-4;     // an improvement is larger than this, relative to the best score
  bool absolute = false;       // the threshold is a difference
  std::int64_t cooldown = 0;   // scores after a reduction that are not counted
  double min_lr = 0;
};

// The state of a plateau between scores, for saving and restoring.
struct PlateauState {
  double best = std::numeric_limits<double>::infinity();  // with maximize: minus infinity
  std::int64_t bad = 0;                                   // scores since the last improvement
  std::int64_t cooldown = 0;                              // scores that are not counted yet
};

// Reduces the rate as torch.optim.lr_scheduler.ReduceLROnPlateau. Example, once an epoch:
//   ml::Plateau plateau({.factor = 0.5, .patience = 3});
//   plateau.update(optimizer, validation_loss);
class Plateau {
 public:
  // ValueError E0406 for a factor that is not above 0 and below 1, and for negative numbers.
  explicit Plateau(const PlateauOptions& options = {});

  // Counts the score, and reduces the rate of the optimizer where it is time. Returns whether it
  // did. StateError E0918 if the rate is a schedule, which depends on the number of steps alone.
  bool update(Optimizer& optimizer, double score);

  const PlateauOptions& options() const { return options_; }
  const PlateauState& state() const { return state_; }
  void load_state(const PlateauState& state) { state_ = state; }

 private:
  bool is_better(double score) const;

  PlateauOptions options_;
  PlateauState state_;
};

}  // namespace mithril
