// What kernels of CUDA C++ share: types, parameters and entry points.
#pragma once

#include <string>
#include <vector>

#include "codegen/common/language.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

struct CudaKernel {
  // extern "C" __global__ void __launch_bounds__(THREADS) NAME(const float* x0, ..., float* y0,
  // ..., const Layout layout), and NAME_lanes, which computes `cuda_lanes` neighbours at a time
  // (cuda_layout.hpp). The text has no sizes and no layouts: equal formulas are equal texts.
  std::string text;
  std::vector<ValueId> inputs, outputs;  // the parameters, in order
  Dims dims = {};                        // of the elements that it computes
  bool reduces_rows = false;             // for cuda_row_grid, with the layout of arrange_rows
};

namespace codegen {

bool is_half(DType dtype);
DType in_registers(DType dtype);  // the dtype in which formulas compute
std::string element_type(DType dtype);
const Language& cuda_language();  // C++ whose elements of half precision are floats

// The function that computes, a template of the number of lanes with this body, and the entry
// points NAME and NAME_lanes, which call it.
std::string kernel_text(const Graph& graph, const CudaKernel& kernel, const std::string& function,
                        const std::string& body, const std::string& name);
// The same of a kernel that computes a batch.
std::string batch_kernel_text(const std::string& function, const std::string& body,
                              const std::string& name);

}  // namespace codegen
}  // namespace mithril
