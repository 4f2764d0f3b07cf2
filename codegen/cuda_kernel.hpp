// Elementwise nodes as one kernel of CUDA C++, for NVRTC: the formulas of their records, as in the
// C++ that `write_cpp` writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

struct CudaKernel {
  // extern "C" __global__ void NAME(const float* x0, ..., float* y0, ..., const Layout layout), and
  // NAME_lanes, which computes `cuda_lanes` neighbours at a time (cuda_layout.hpp). The text has no
  // sizes and no layouts: equal formulas are equal texts.
  std::string text;
  std::vector<ValueId> inputs, outputs;  // the parameters, in order
};

// The nodes are given in the order of the graph. Each computes a value of the dims of the last one.
// The kernel reads broadcast inputs where they are, and writes the values that `kept` lists.
// Results in half precision are rounded to it, node by node. None if a node has no formula, other
// dims or several outputs, or if there are more inputs or axes than a CudaLayout describes.
std::optional<CudaKernel> cuda_kernel(const Graph& graph, const Plan& plan,
                                      std::span<const std::size_t> nodes,
                                      std::span<const ValueId> kept, const std::string& name);

// What the text of kernels uses. NVRTC has no standard library.
std::string_view cuda_prelude();

}  // namespace mithril
