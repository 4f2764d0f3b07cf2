// Makes elementwise programs from elementwise nodes.
#pragma once

#include <optional>
#include <span>

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// The program that computes these nodes, given in the order of the graph. Its outputs are `kept`.
// Each node must have an elementwise_dtype. None if a record has no formula, or an operation has no
// kernel.
std::optional<ElementwiseProgram> make_elementwise_program(const ShapedGraph& shaped,
                                                           std::span<const size_t> nodes,
                                                           std::span<const ValueId> kept);

}  // namespace mithril::cpu_backend
