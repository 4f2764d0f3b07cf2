// What a TrainingStep does with gradients before the optimizer uses them.
#pragma once

#include <optional>

namespace mithril {

struct TrainingOptions {
  // Scales all gradients together so that their 2-norm is at most this, as
  // torch.nn.utils.clip_grad_norm_ does: by min(1, max_norm / (norm + 1e-6)).
  std::optional<double> max_norm = {};
  // Limits each element of the gradients to [-max_value, max_value], as
  // torch.nn.utils.clip_grad_value_ does, before max_norm.
  std::optional<double> max_value = {};

  // ValueError E0406 for an option out of range.
  void check() const;
};

}  // namespace mithril
