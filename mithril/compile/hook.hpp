// Hooks: functions that observe values inside a compiled model and may replace them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Any function of a tensor. A returned Tensor, or optional Tensor that is not empty, replaces the
// value.
class HookFunction {
 public:
  template <typename F>
  requires(std::is_invocable_v<F&, const Tensor&> &&
           !std::is_same_v<std::remove_cvref_t<F>, HookFunction>) HookFunction(F function) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, const Tensor&>>) {
      call_ = [see = std::move(function)](const Tensor& tensor) mutable -> std::optional<Tensor> {
        see(tensor);
        return std::nullopt;
      };
    } else {
      call_ = std::move(function);
    }
  }

  std::optional<Tensor> operator()(const Tensor& tensor) const { return call_(tensor); }

 private:
  std::function<std::optional<Tensor>(const Tensor&)> call_;
};

struct HookOptions {
  bool gradient = false;  // observe the gradient of the value, not the value
};

// Copies are the same hook. It may outlive the compiled model.
class HookHandle {
 public:
  explicit HookHandle(std::shared_ptr<std::atomic<bool>> active) : active_(std::move(active)) {}
  // Evaluations that start later do not call the hook. May be called from any thread, and again.
  void remove() { *active_ = false; }

 private:
  std::shared_ptr<std::atomic<bool>> active_;
};

}  // namespace mithril
