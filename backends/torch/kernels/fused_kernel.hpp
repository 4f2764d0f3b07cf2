// Nodes that run as one kernel.
#pragma once

#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include <vector>

#include "backends/torch/device/kernel_device.hpp"
#include "backends/torch/program/program.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::torch_backend {

struct FusedKernel {
  struct Port {
    ValueId value;
    c10::ScalarType dtype;
  };

  const LoadedKernel* kernel = nullptr;
  int multiprocessors = 1;
  c10::Device device;
  Dims dims;                  // of the elements that it computes; of a batch: of the first group
  bool reduces_rows = false;  // as CudaKernel::reduces_rows
  std::vector<Port> inputs = {}, outputs = {};
  std::vector<Dims> output_dims = {};  // per output: `dims`, or those of a number for each row
  // The number of groups of a batch (codegen/cuda/batch.hpp), whose inputs and outputs are those of
  // one group of nodes after the other; for each input of a group, 1, or 0 for a number.
  size_t groups = 1;
  std::vector<std::int64_t> steps = {};
  // For each output of a batch: the index in `inputs` of the donated input that it may overwrite;
  // -1: it has memory of its own. Empty: all have. No later node reads such an input.
  std::vector<std::ptrdiff_t> overwrites = {};
};

// "mithril::elementwise", "mithril::rows" or "mithril::batch": in the profiler, and in messages.
const char* name_of(const FusedKernel& fused);

// Reads inputs from registers, by value, and writes outputs to them. Inputs may have any strides.
// With Donated::in_place an output that may overwrite an input becomes the tensor of that input,
// unless another tensor in a register shares the memory of one of them. Returns whether an
// output overwrites an input.
bool run_fused(const FusedKernel& fused, std::vector<c10::IValue>& registers,
               Donated donated = Donated::ignored);

}  // namespace mithril::torch_backend
