#include "mithril/optim/adam.hpp"

#include <cmath>

namespace mithril {

Adam::Adam(AdamOptions options, bool decoupled)
    : Optimizer(options.lr, {"exp_avg", "exp_avg_sq"}), options_(options), decoupled_(decoupled) {
  const auto [first, second] = options.betas;
  require(first >= 0 && first < 1, "betas.first", first, "at least 0 and below 1");
  require(second >= 0 && second < 1, "betas.second", second, "at least 0 and below 1");
  require(options.eps >= 0, "eps", options.eps, "at least 0");
  require(options.weight_decay >= 0, "weight_decay", options.weight_decay, "at least 0");
}

void Adam::update(Tensor& param, const Tensor& gradient, Memory& memory) {
  const double beta1 = options_.betas.first, beta2 = options_.betas.second;
  const double steps = static_cast<double>(memory.steps);
  const double correction1 = 1 - std::pow(beta1, steps);
  const double correction2 = std::sqrt(1 - std::pow(beta2, steps));
  visit_parameter(param, [&](auto zero) {
    using T = decltype(zero);
    const T shrink = static_cast<T>(decoupled_ ? 1 - lr() * options_.weight_decay : 1);
    const T decay = static_cast<T>(decoupled_ ? 0 : options_.weight_decay);
    const T weight1 = static_cast<T>(1 - beta1), keep2 = static_cast<T>(beta2);
    const T weight2 = static_cast<T>(1 - beta2), eps = static_cast<T>(options_.eps);
    const T rate = static_cast<T>(lr() / correction1), scale = static_cast<T>(correction2);
    const T* from = gradient.data<T>();
    T* to = param.mutable_data<T>();
    T* mean = memory.slots[0].mutable_data<T>();
    T* square = memory.slots[1].mutable_data<T>();
    in_ranges(param.size(), [=](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        to[i] *= shrink;
        const T direction = from[i] + decay * to[i];
        mean[i] += weight1 * (direction - mean[i]);
        square[i] = keep2 * square[i] + weight2 * direction * direction;
        to[i] -= rate * mean[i] / (std::sqrt(square[i]) / scale + eps);
      }
    });
  });
}

}  // namespace mithril
