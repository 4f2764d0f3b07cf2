// Tensors to and from other libraries by DLPack, without copying if possible.
#pragma once

#include "mithril/tensor/dlpack_abi.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

dlpack::DLDataType dlpack_dtype(DType dtype);

// Takes ownership of `managed` and shares its elements. Elements are copied only if strides or
// alignment require it. The read-only flag carries over. Its deleter runs when the last Tensor that
// shares is gone. If this throws, the caller still owns `managed`: BackendError E1080 for another
// device than the CPU, E1081 for a major version other than 1, E1082 for a malformed description;
// TypeError E0381 for a dtype that Mithril lacks.
Tensor from_dlpack(dlpack::DLManagedTensorVersioned* managed);
Tensor from_dlpack(dlpack::DLManagedTensor* managed);

// Shares the tensor's elements; the receiver must call the deleter. The tensor may be destroyed
// before that.
dlpack::DLManagedTensorVersioned* to_dlpack(const Tensor& tensor);

// The same for receivers that support only the older struct, which has no read-only flag: read-only
// tensors are copied.
dlpack::DLManagedTensor* to_dlpack_unversioned(const Tensor& tensor);

}  // namespace mithril
