// Tensors of Mithril as torch's tensors, and back: the elements are shared wherever they can be.
// Also for users of the backend in C++, whose programs link Mithril::torch.
#pragma once

#include <ATen/core/Tensor.h>

#include "backends/torch/dtypes.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::torch_backend {

// On the device; TypeError E0388 for tensors of another library or another torch.
at::Tensor to_torch(const Tensor& tensor, c10::Device device);
bool is_torch(const Tensor& tensor);  // of this torch
// TypeError E0389 for a dtype that Mithril lacks, E0373 for nested, oneDNN and meta tensors.
Tensor from_torch(const at::Tensor& tensor);
// Of a tensor of this torch: whether it is dense and nobody else holds its elements.
bool is_own(const Tensor& tensor);

}  // namespace mithril::torch_backend

namespace mithril {

// What compiled models take and give, as torch's own; the elements are shared. Errors as above.
using torch_backend::from_torch;
at::Tensor to_torch(const Tensor& tensor);  // on the device where it is

}  // namespace mithril
