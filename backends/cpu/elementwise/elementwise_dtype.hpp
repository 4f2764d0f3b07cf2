// Which nodes an elementwise program can contain, and in which dtype it computes them.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "mithril/op/formula.hpp"

namespace mithril::cpu_backend {

// The dtype in which an elementwise program computes the node; none if no program can contain it.
std::optional<DType> elementwise_dtype(const ShapedGraph& shaped, size_t node);

// Whether the formula is its input, unchanged or in another dtype.
bool converts(const Formula& formula);

// Whether the node's result is rounded to 16 bits before consumers read it. A program must not
// contain both the node and a consumer, because results are rounded only when they are stored.
bool is_rounded(const ShapedGraph& shaped, size_t node);

}  // namespace mithril::cpu_backend
