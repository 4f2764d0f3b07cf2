#include "backends/torch/fused_kernel.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/record_function.h>

#include "codegen/cuda_layout.hpp"

namespace mithril::torch_backend {
namespace {

// A kernel reads elements as they are in memory.
at::Tensor readable(const at::Tensor& tensor, const FusedKernel& fused, c10::ScalarType dtype) {
  const at::Tensor there = tensor.device() == fused.device && tensor.scalar_type() == dtype
                               ? tensor
                               : tensor.to(fused.device, dtype);
  return there.is_neg() ? there.resolve_neg() : there;
}

CudaGrid grid_of(const FusedKernel& fused, std::int64_t count, bool lanes) {
  const std::int64_t each = lanes ? cuda_lanes : 1;
  if (!fused.reduces_rows) return cuda_grid(count / each, fused.multiprocessors);
  const std::int64_t width = fused.dims.back();
  return cuda_row_grid(count / width, width / each, fused.multiprocessors);
}

}  // namespace

const char* name_of(const FusedKernel& fused) {
  return fused.reduces_rows ? "mithril::rows" : "mithril::elementwise";
}

void run_fused(const FusedKernel& fused, std::vector<c10::IValue>& registers) {
  RECORD_FUNCTION(name_of(fused), std::vector<c10::IValue>());
  std::vector<at::Tensor> tensors;
  std::vector<CudaInput> inputs;
  std::vector<const void*> pointers;
  tensors.reserve(fused.inputs.size());
  inputs.reserve(fused.inputs.size());
  pointers.reserve(fused.inputs.size() + fused.outputs.size());
  for (const FusedKernel::Port& port : fused.inputs)
    tensors.push_back(readable(registers[index(port.value)].toTensor(), fused, port.dtype));
  for (const at::Tensor& tensor : tensors) {
    pointers.push_back(tensor.const_data_ptr());
    inputs.push_back({tensor.sizes(), tensor.strides(), pointers.back(),
                      static_cast<std::int64_t>(tensor.element_size())});
  }
  CudaArrangement arranged =
      fused.reduces_rows ? arrange_rows(fused.dims, inputs) : arrange(fused.dims, inputs);
  for (size_t i = 0; i < fused.outputs.size(); ++i) {
    const FusedKernel::Port& port = fused.outputs[i];
    const Dims& dims = fused.output_dims[i];
    const at::TensorOptions options = at::TensorOptions(port.dtype).device(fused.device);
    at::Tensor made = dims == fused.dims ? at::empty_strided(dims, arranged.output_strides, options)
                                         : at::empty(dims, options);
    pointers.push_back(made.mutable_data_ptr());
    registers[index(port.value)] = std::move(made);
  }
  if (arranged.layout.count == 0) return;
  const bool lanes = fits_lanes(arranged.layout, inputs);
  std::vector<void*> arguments;
  arguments.reserve(pointers.size() + 1);
  for (const void*& pointer : pointers) arguments.push_back(&pointer);
  arguments.push_back(&arranged.layout);
  fused.kernel->launch(lanes, grid_of(fused, arranged.layout.count, lanes), arguments.data());
}

}  // namespace mithril::torch_backend
