// In what order groups of nodes run.
#pragma once

#include <span>
#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// The groups (fusion/elementwise_groups.hpp) in an order in which they may run, close to that of
// the graph. What reads a donated input comes before what is written in its place, where that can
// be, and that comes as soon as what it reads is made.
std::vector<std::vector<size_t>> in_order(const ShapedGraph& shaped,
                                          std::vector<std::vector<size_t>> groups,
                                          std::span<const DonatedBuffer> donated);

}  // namespace mithril::cpu_backend
