// Who reads what a graph makes.
#pragma once

#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// Per value: arguments of nodes, outputs, and those who look on (`shown`, per node; null: nobody).
std::vector<int> count_uses(const ShapedGraph& shaped, const std::vector<bool>* shown);

}  // namespace mithril::cpu_backend
