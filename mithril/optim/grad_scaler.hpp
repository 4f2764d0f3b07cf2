// Scaling of gradients, so that small ones survive float16.
#pragma once

#include <cstdint>
#include <optional>

#include "mithril/optim/optimizer.hpp"

namespace mithril {

// The scale and how it changes: it shrinks after an iteration whose gradients overflowed, and grows
// after a number of clean ones. float32, as in torch.amp.GradScaler.
struct LossScale {
  double scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  std::int64_t growth_tracker = 0;  // clean iterations since it changed

  // ValueError E0406 for a growth factor that is not above 1, a backoff factor that is not below,
  // an interval below 1.
  void check() const;
  void update(bool found_inf);
  float inverse() const;  // the factor of gradients
};

// The behaviour of torch.amp.GradScaler. Example:
//   ml::GradScaler scaler;
//   auto [out, scaled] = compiled.evaluate(params, data, scaler.scale(output_gradients));
//   scaler.step(optimizer, params, scaler.unscale(scaled));
//   scaler.update();
class GradScaler {
 public:
  explicit GradScaler(LossScale state = {}, bool enabled = true);

  // Incoming gradients of outputs, multiplied by the scale.
  TensorMap scale(const TensorMap& output_gradients) const;
  // The gradients divided by the scale, for clipping and stepping. TypeError E0386 for a float16
  // gradient, in which scaling cannot be undone.
  TensorMap unscale(const TensorMap& gradients);
  // Runs the optimizer's step, unless an inf or NaN was unscaled since the last update. Returns
  // whether it ran. StateError E0910 if nothing was unscaled.
  bool step(Optimizer& optimizer, TensorMap& params, const TensorMap& unscaled);
  // Call at the end of an iteration. StateError E0910 if nothing was unscaled.
  void update();
  void update(double new_scale);

  double get_scale() const { return enabled_ ? state_.scale : 1.0; }
  bool is_enabled() const { return enabled_; }
  // The state that the scaler keeps between iterations, for saving and restoring.
  const LossScale& state_dict() const { return state_; }
  void load_state_dict(const LossScale& state);

  // The old names, until 0.2.
  double scale() const { return get_scale(); }
  bool enabled() const { return is_enabled(); }
  const LossScale& state() const { return state_dict(); }
  void load_state(const LossScale& state) { load_state_dict(state); }

 private:
  bool found_inf(const char* caller) const;

  LossScale state_;
  bool enabled_;
  std::optional<bool> found_inf_;  // none: nothing was unscaled since the last update
};

}  // namespace mithril
