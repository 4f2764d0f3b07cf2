#include "mithril/model/initializer.hpp"

#include <numbers>

namespace mithril {

using Distribution = Initializer::Distribution;

// A uniform distribution of +-c has the deviation c / sqrt(3).
Initializer xavier_uniform(double gain) {
  return {.distribution = Distribution::uniform_fan_mean, .b = gain * std::numbers::sqrt3};
}

Initializer xavier_normal(double gain) {
  return {.distribution = Distribution::normal_fan_mean, .b = gain};
}

Initializer kaiming_uniform(const KaimingOptions& options) {
  return {.distribution =
              options.fan_out ? Distribution::uniform_fan_out : Distribution::uniform_fan_in,
          .b = options.gain * std::numbers::sqrt3};
}

Initializer kaiming_normal(const KaimingOptions& options) {
  return {
      .distribution = options.fan_out ? Distribution::normal_fan_out : Distribution::normal_fan_in,
      .b = options.gain};
}

}  // namespace mithril
