#include "backends/torch/kernels/fused_kernel.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/record_function.h>

#include <unordered_set>

#include "codegen/cuda/batch.hpp"
#include "codegen/cuda/layout.hpp"

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

bool is_aligned(const void* pointer, size_t element_bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % (cuda_lanes * element_bytes) == 0;
}

// Whether an output of these dims can be written over a tensor, element by element.
bool can_hold(const at::Tensor& tensor, const FusedKernel& fused, const FusedKernel::Port& output,
              const Dims& dims) {
  return tensor.device() == fused.device && tensor.scalar_type() == output.dtype &&
         tensor.sizes() == dims && tensor.is_contiguous() && !tensor.is_neg();
}

// For each output: the tensor that it overwrites; undefined: it gets memory of its own.
std::vector<at::Tensor> overwritten(const FusedKernel& fused,
                                    const std::vector<c10::IValue>& registers) {
  std::vector<at::Tensor> tensors(fused.outputs.size());
  std::unordered_set<const c10::IValue*> own;
  std::unordered_set<const c10::StorageImpl*> written;
  for (size_t i = 0; i < fused.overwrites.size(); ++i) {
    if (fused.overwrites[i] < 0) continue;
    const FusedKernel::Port& input = fused.inputs[static_cast<size_t>(fused.overwrites[i])];
    const c10::IValue& held = registers[index(input.value)];
    if (!can_hold(held.toTensor(), fused, fused.outputs[i], fused.output_dims[i])) continue;
    tensors[i] = held.toTensor();
    own.insert(&held);
    written.insert(tensors[i].storage().unsafeGetStorageImpl());
  }
  const auto shares_memory = [&](const c10::IValue& held) {
    if (!held.isTensor() || own.contains(&held)) return false;
    const at::Tensor& tensor = held.toTensor();
    return tensor.has_storage() && written.contains(tensor.storage().unsafeGetStorageImpl());
  };
  if (std::any_of(registers.begin(), registers.end(), shares_memory))
    return std::vector<at::Tensor>(fused.outputs.size());
  return tensors;
}

// Tensors that can be accessed several elements at a time, and the others, each in few launches.
// Returns whether it overwrites inputs.
bool run_batch(const FusedKernel& fused, std::vector<c10::IValue>& registers, Donated donated) {
  const size_t inputs = fused.steps.size(), outputs = fused.outputs.size() / fused.groups;
  const std::vector<at::Tensor> in_place = donated == Donated::in_place
                                               ? overwritten(fused, registers)
                                               : std::vector<at::Tensor>(fused.outputs.size());
  std::vector<at::Tensor> held;  // until the launches
  std::vector<std::vector<const void*>> pointers(fused.groups);
  std::vector<CudaBatchItem> items_of[2];  // plain, with lanes
  for (size_t group = 0; group < fused.groups; ++group) {
    bool lanes = true;
    const auto add = [&](const at::Tensor& tensor, const void* pointer, std::int64_t step) {
      lanes = lanes && (step == 0 || is_aligned(pointer, tensor.element_size()));
      pointers[group].push_back(pointer);
      held.push_back(tensor);
    };
    for (size_t i = 0; i < inputs; ++i) {
      const FusedKernel::Port& port = fused.inputs[group * inputs + i];
      const at::Tensor tensor =
          readable(registers[index(port.value)].toTensor(), fused, port.dtype).contiguous();
      add(tensor, tensor.const_data_ptr(), fused.steps[i]);
    }
    const Dims& dims = fused.output_dims[group * outputs];
    for (size_t i = 0; i < outputs; ++i) {
      const FusedKernel::Port& port = fused.outputs[group * outputs + i];
      at::Tensor made = in_place[group * outputs + i];
      if (!made.defined())
        made = at::empty(dims, at::TensorOptions(port.dtype).device(fused.device));
      add(made, made.mutable_data_ptr(), 1);
      registers[index(port.value)] = std::move(made);
    }
    const std::int64_t count = element_count(dims);
    items_of[lanes && count % cuda_lanes == 0].push_back({count, pointers[group]});
  }
  for (const bool lanes : {true, false}) {
    for (CudaBatch& batch : cuda_batches(items_of[lanes], fused.steps)) {
      void* argument = &batch;
      fused.kernel->launch(lanes, batch.grid(), &argument);
    }
  }
  return std::any_of(in_place.begin(), in_place.end(),
                     [](const at::Tensor& tensor) { return tensor.defined(); });
}

}  // namespace

const char* name_of(const FusedKernel& fused) {
  if (fused.groups > 1) return "mithril::batch";
  return fused.reduces_rows ? "mithril::rows" : "mithril::elementwise";
}

bool run_fused(const FusedKernel& fused, std::vector<c10::IValue>& registers, Donated donated) {
  RECORD_FUNCTION(name_of(fused), std::vector<c10::IValue>());
  if (fused.groups > 1) return run_batch(fused, registers, donated);
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
  if (arranged.layout.count == 0) return false;
  const bool lanes = fits_lanes(arranged.layout, inputs);
  std::vector<void*> arguments;
  arguments.reserve(pointers.size() + 1);
  for (const void*& pointer : pointers) arguments.push_back(&pointer);
  arguments.push_back(&arranged.layout);
  fused.kernel->launch(lanes, grid_of(fused, arranged.layout.count, lanes), arguments.data());
  return false;
}

}  // namespace mithril::torch_backend
