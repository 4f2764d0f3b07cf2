// Kernels of CUDA C++ that reduce rows, among elementwise nodes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "codegen/cuda/text.hpp"
#include "mithril/eval/plan.hpp"

namespace mithril {

// The dims of the elements whose rows, along the last axis, the node reduces. None: it reduces
// other axes, its record has no formula for rows (mithril/op/row_formula.hpp), it makes ints, or
// there are no elements.
std::optional<Dims> row_dims(const Graph& graph, const Plan& plan, std::size_t node);

namespace codegen {

// As cuda_kernel, for nodes of which some reduce rows.
std::optional<CudaKernel> cuda_row_kernel(const Graph& graph, const Plan& plan,
                                          std::span<const std::size_t> nodes,
                                          std::span<const ValueId> kept, const std::string& name);

}  // namespace codegen
}  // namespace mithril
