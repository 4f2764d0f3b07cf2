// Tensors from their descriptions, the same for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "mithril/check/op_case.hpp"

namespace mithril::check {

using Random = std::mt19937_64;

Tensor generate(const TensorSpec& spec, Random& random);

// One tensor for each description. The elements depend on the seed and on the position in the list.
std::vector<Tensor> generate(const std::vector<TensorSpec>& specs, std::uint64_t seed);

// A float64 tensor of normally distributed elements.
Tensor random_direction(const Dims& dims, Random& random);

}  // namespace mithril::check
