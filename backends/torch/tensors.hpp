// Tensors of Mithril as torch's tensors, and back, sharing the elements where possible. Also for
// C++ users of the backend, whose programs link Mithril::torch.
#pragma once

#include <ATen/core/Tensor.h>

#include "backends/torch/device/dtypes.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::torch_backend {

// The tensor on the device; TypeError E0388 for tensors of another library or another torch.
at::Tensor to_torch(const Tensor& tensor, c10::Device device);
bool is_torch(const Tensor& tensor);  // of this torch
// TypeError E0389 for a dtype that Mithril lacks, E0373 for nested, oneDNN and meta tensors.
Tensor from_torch(const at::Tensor& tensor);
// Whether a tensor of this torch is dense and the only owner of its elements.
bool is_own(const Tensor& tensor);

}  // namespace mithril::torch_backend

namespace mithril {

// The inputs and outputs of compiled models as torch's tensors, sharing the elements. Errors as
// above.
using torch_backend::from_torch;
at::Tensor to_torch(const Tensor& tensor);  // on its current device

}  // namespace mithril
