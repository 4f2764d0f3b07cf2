// Elementwise nodes and reductions of rows as one kernel of CUDA C++, for NVRTC: the formulas of
// their records, as in the C++ that `write_cpp` writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/cuda/text.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

// The nodes are given in the order of the graph. Each computes a value of the dims of the last one.
// If some reduce rows (row_dims), each computes a value of these dims, or a number for each row:
// the same dims with 1 as the last, or, if no node of the kernel reads it, without the last.
// The kernel reads broadcast inputs where they are, and writes the values that `kept` lists.
// Results in half precision are rounded to it, node by node. None if a node has no formula, other
// dims or several outputs, or if there are more inputs or axes than a CudaLayout describes.
std::optional<CudaKernel> cuda_kernel(const Graph& graph, const Plan& plan,
                                      std::span<const std::size_t> nodes,
                                      std::span<const ValueId> kept, const std::string& name);

// The same computation for many tensors in one launch: NAME(const Batch batch) and NAME_lanes, with
// the batches of cuda_batch.hpp. Each input is contiguous, of the dims of the results, or a number.
// None also if a node reduces rows.
std::optional<CudaKernel> cuda_batch_kernel(const Graph& graph, const Plan& plan,
                                            std::span<const std::size_t> nodes,
                                            std::span<const ValueId> kept, const std::string& name);

// What the text of kernels uses. NVRTC has no standard library.
std::string_view cuda_prelude();

}  // namespace mithril
