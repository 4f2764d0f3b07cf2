#include "mithril/optim/grad_scaler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/tensor/scalable_elements.hpp"

namespace mithril {
namespace {

void require(bool holds, const char* option, double got, const char* expected) {
  if (holds) return;
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message = fmt::format("grad scaler: {} is {}, expected {}", option, got, expected)});
}

// Puts a new tensor in its place; whether all of it is finite. Integers are left as they are.
bool multiply(Tensor& tensor, float factor) {
  if (!is_floating(tensor.dtype())) return true;
  const Tensor given = tensor.host();
  tensor = Tensor::empty(given.dtype(), given.dims());
  return visit_dtype(given.dtype(), [&](auto zero) {
    using T = decltype(zero);
    bool finite = true;
    T* product = tensor.mutable_data<T>();
    for (const T element : given.values<T>()) {
      const auto value = static_cast<double>(element);
      finite = finite && std::isfinite(value);
      *product++ = static_cast<T>(value * static_cast<double>(factor));
    }
    return finite;
  });
}

using Items = std::vector<TensorMap::Item>;

// Tensors of another library stay on their device.
bool multiply_foreign(Items& items, float factor, bool checks) {
  std::map<std::string, std::vector<size_t>> places;  // by library
  for (size_t i = 0; i < items.size(); ++i) {
    const Tensor& tensor = items[i].tensor();
    if (is_floating(tensor.dtype()) && dynamic_cast<const ScalableElements*>(tensor.foreign()))
      places[std::string(tensor.foreign()->library())].push_back(i);
  }
  bool finite = true;
  for (const auto& [library, at] : places) {
    std::vector<Tensor> tensors;
    for (const size_t i : at) tensors.push_back(items[i].tensor());
    const auto& elements = dynamic_cast<const ScalableElements&>(*tensors.front().foreign());
    const std::vector<Tensor> scaled = elements.scaled(tensors, factor, checks ? &finite : nullptr);
    for (size_t k = 0; k < at.size(); ++k) items[at[k]].tensor() = scaled[k];
  }
  return finite;
}

bool multiply_all(Items& items, float factor, bool checks) {
  bool finite = multiply_foreign(items, factor, checks);
  for (auto& [key, tensor] : items) {
    if (!dynamic_cast<const ScalableElements*>(tensor.foreign()))
      finite = multiply(tensor, factor) && finite;
  }
  return finite;
}

}  // namespace

void LossScale::check() const {
  require(growth_factor > 1, "growth_factor", growth_factor, "above 1");
  require(backoff_factor < 1, "backoff_factor", backoff_factor, "below 1");
  require(growth_interval >= 1, "growth_interval", static_cast<double>(growth_interval),
          "at least 1");
}

void LossScale::update(bool found_inf) {
  if (found_inf) {
    scale = static_cast<float>(scale * backoff_factor);
    growth_tracker = 0;
    return;
  }
  if (++growth_tracker < growth_interval) return;
  growth_tracker = 0;
  const auto grown = static_cast<float>(scale * growth_factor);
  if (std::isfinite(grown)) scale = grown;
}

float LossScale::inverse() const { return static_cast<float>(1.0 / scale); }

GradScaler::GradScaler(LossScale state, bool enabled) : state_(state), enabled_(enabled) {
  state_.check();
}

TensorMap GradScaler::scale(const TensorMap& output_gradients) const {
  if (!enabled_) return output_gradients.share();
  std::vector<TensorMap::Item> scaled(output_gradients.begin(), output_gradients.end());
  multiply_all(scaled, static_cast<float>(state_.scale), false);
  return TensorMap(std::move(scaled));
}

TensorMap GradScaler::unscale(const TensorMap& gradients) {
  if (!enabled_) return gradients.share();
  std::vector<TensorMap::Item> unscaled(gradients.begin(), gradients.end());
  for (const auto& [key, tensor] : unscaled) {
    if (tensor.dtype() == DType::float16) {
      raise({.kind = ErrorKind::type,
             .code = "E0386",
             .message = "the gradient of " + in_quotes(key) + " is float16: it cannot be unscaled",
             .help = "keep parameters in float32, and let mixed precision cast them"});
    }
  }
  const bool finite = multiply_all(unscaled, state_.inverse(), true);
  found_inf_ = found_inf_.value_or(false) || !finite;
  return TensorMap(std::move(unscaled));
}

bool GradScaler::found_inf(const char* caller) const {
  if (found_inf_) return *found_inf_;
  raise({.kind = ErrorKind::state,
         .code = "E0910",
         .message = std::string(caller) + ": no gradients were unscaled since the last update"});
}

bool GradScaler::step(Optimizer& optimizer, TensorMap& params, const TensorMap& unscaled) {
  if (enabled_ && found_inf("step")) return false;
  optimizer.step(params, unscaled);
  return true;
}

void GradScaler::update() {
  if (!enabled_) return;
  state_.update(found_inf("update"));
  found_inf_.reset();
}

void GradScaler::update(double new_scale) {
  state_.scale = static_cast<float>(new_scale);
  found_inf_.reset();
}

void GradScaler::load_state_dict(const LossScale& state) {
  state.check();
  state_ = state;
  found_inf_.reset();
}

}  // namespace mithril
