// Compares the CPU backend with the reference on graphs given as text.
#pragma once

#include <string>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {

Tensor random(const Dims& dims, std::uint64_t seed);

// Returns the first output that differs from the reference by more than `allowed`; empty if none
// does.
std::string differing_output(const std::string& text, const std::vector<Tensor>& inputs,
                             int threads = 1, double allowed = 1e-5);

}  // namespace mithril::tests
