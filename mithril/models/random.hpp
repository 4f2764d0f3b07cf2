// Random tensors whose key is a state: each evaluation and each part draws different numbers. The
// op of the same name (Model::op("randn")) takes its key as an input.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

struct RandnOptions {
  std::optional<std::vector<int64_t>> shape = {};  // none: the port says
  int64_t key = 0;                                 // seed: the state key is RandomKey{key}
  std::optional<DType> dtype = {};                 // none: the backend's floats
};
// Random numbers from a normal distribution with mean 0 and standard deviation 1. Ports: shape,
// dtype, output; state key.
Model Randn(const RandnOptions& options = {});

struct RandIntOptions {
  std::optional<std::vector<int64_t>> shape = {};  // none: the port says
  int64_t key = 0;                                 // seed: the state key is RandomKey{key}
  int64_t low = 0, high = 2;                       // high is excluded
  std::optional<DType> dtype = {};                 // none: the backend's ints
};
// Random ints, uniform in [low, high). Ports: shape, low, high, output; state key.
Model RandInt(const RandIntOptions& options = {});

}  // namespace mithril
