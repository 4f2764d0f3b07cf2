// The first values of parameters and states.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// The first values of a parameter. Random ones follow from the seed of get_parameters and the path
// of the parameter. A fan in is the product of the dims after the first, a fan out that of all dims
// but the second.
struct Initializer {
  enum class Distribution {
    zeros,
    ones,
    constant,          // a
    uniform,           // [a, b)
    normal,            // mean a, deviation b
    uniform_fan_in,    // +-b/sqrt(fan in)
    uniform_fan_out,   // +-b/sqrt(fan out)
    uniform_fan_mean,  // +-b/sqrt((fan in + fan out) / 2)
    normal_fan_in,     // deviation b/sqrt(fan in)
    normal_fan_out,
    normal_fan_mean,
    function  // what `function` returns
  };
  Distribution distribution = Distribution::uniform;
  double a = 0, b = 1;
  std::string fan_of = {};  // the key whose dims give the fan; empty: its own
  // Returns a tensor of these dims, or a number for all elements. JSON does not hold it.
  std::function<Tensor(const Dims& dims, std::uint64_t seed)> function = {};
  std::optional<std::int64_t> zero_row = {};  // this row of the first axis is zero, if it exists
  // The number of leading axes that enumerate independent copies of the parameter (vmap). The other
  // fields describe one copy.
  std::int64_t stacked = 0;
};

// PyTorch's xavier_uniform_ and xavier_normal_ (Glorot and Bengio, 2010).
Initializer xavier_uniform(double gain = 1);
Initializer xavier_normal(double gain = 1);
struct KaimingOptions {
  double gain = 1.4142135623730951;  // that of relu
  bool fan_out = false;
};
// PyTorch's kaiming_uniform_ and kaiming_normal_ (He et al., 2015).
Initializer kaiming_uniform(const KaimingOptions& options = {});
Initializer kaiming_normal(const KaimingOptions& options = {});

// A state that starts as the first key of a stream of random numbers: a hash of the seed and of the
// path of the state in the compiled model. The model adds 1 to it for the next evaluation.
struct RandomKey {
  std::int64_t seed = 0;
};
using InitialState = std::variant<Tensor, RandomKey>;

}  // namespace mithril
