// Options of a TrainingStep: clipping, accumulation and averages.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

namespace mithril {

// The exponential moving average of the parameters: average += (1 - decay) * (parameter - average)
// after each update. The first average is the parameters after the first update, as in
// torch.optim.swa_utils, so early averages depend on it: its weight after n updates is
// decay^(n - 1).
struct EMA {
  double decay = 0.999;
};

// The mean of the parameters after each `every`-th update that follows the first `start` updates:
// stochastic weight averaging.
struct SWA {
  std::int64_t start = 0;
  std::int64_t every = 1;
};

struct TrainingOptions {
  // Scales all gradients together so that their 2-norm is at most this, as
  // torch.nn.utils.clip_grad_norm_ does: by min(1, max_norm / (norm + 1e-6)).
  std::optional<double> max_norm = {};
  // Limits each element of the gradients to [-max_value, max_value], as
  // torch.nn.utils.clip_grad_value_ does, before max_norm.
  std::optional<double> max_value = {};
  // The number of calls for one update, which uses the mean of their gradients. The mean is
  // clipped, not its terms.
  std::int64_t accumulate = 1;
  // Averages of the parameters, which TrainingStep::averages returns.
  std::variant<std::monostate, EMA, SWA> average = {};

  bool averages() const { return !std::holds_alternative<std::monostate>(average); }
  // The weight of the parameters in their average after `steps` updates, with `averaged` of them in
  // the average so far; 0 where it does not change.
  double average_weight(std::int64_t steps, std::int64_t averaged) const;
  // ValueError E0406 for an option out of range.
  void check() const;
};

}  // namespace mithril
