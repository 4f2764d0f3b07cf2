// Graphs as text on the CPU backend, beside the reference.
#pragma once

#include <string>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {

Tensor random(const Dims& dims, std::uint64_t seed);

// Which output the backend gives otherwise than the reference; empty where there is none.
std::string apart(const std::string& text, const std::vector<Tensor>& inputs, int threads = 1,
                  double allowed = 1e-5);

}  // namespace mithril::tests
