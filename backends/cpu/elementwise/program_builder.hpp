// Makes elementwise programs from elementwise nodes.
#pragma once

#include <optional>
#include <span>

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/elementwise/program.hpp"
#include "mithril/op/formula.hpp"

namespace mithril::cpu_backend {

// The program that computes these nodes, given in the order of the graph. Its outputs are `kept`.
// Each node must have an elementwise_dtype. None if a record has no formula, or an operation has no
// kernel.
std::optional<ElementwiseProgram> make_elementwise_program(const ShapedGraph& shaped,
                                                           std::span<const size_t> nodes,
                                                           std::span<const ValueId> kept);

// The dtype in which an elementwise program computes the node; none if no program can contain it.
std::optional<DType> elementwise_dtype(const ShapedGraph& shaped, size_t node);

// Whether the formula is its input, unchanged or in another dtype.
bool converts(const Formula& formula);

// Whether the node's result is rounded to 16 bits before consumers read it. A program must not
// contain both the node and a consumer, because results are rounded only when they are stored.
bool is_rounded(const ShapedGraph& shaped, size_t node);

}  // namespace mithril::cpu_backend
