// The first values of parameters and states.
#pragma once
#include <cstdint>
#include <string>
#include <variant>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// The initial distribution of a parameter. Uniform and normal draw with the seed of get_parameters.
struct Initializer {
  enum class Distribution { zeros, ones, constant, uniform, normal, uniform_fan_in };
  Distribution distribution = Distribution::uniform;
  double a = 0, b = 1;      // constant: a; uniform: [a, b); normal: mean a, deviation b;
                            // uniform_fan_in: +-b/sqrt(fan in)
  std::string fan_of = {};  // uniform_fan_in: the key whose dims after the first multiply to the
                            // fan in; empty: its own
};

// A state that starts as the first key of a stream of random numbers: a hash of the seed and of the
// path of the state in the compiled model. The model adds 1 to it for the next evaluation.
struct RandomKey {
  std::int64_t seed = 0;
};
using InitialState = std::variant<Tensor, RandomKey>;

}  // namespace mithril
