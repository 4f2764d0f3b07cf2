// Communicators that reduce tensors on the device where they are.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>

#include "mithril/distributed/communicator.hpp"

namespace mithril::torch_backend {

// Collectives of tensors, which a Communicator of process groups of torch implements as well.
class TensorCommunicator {
 public:
  virtual ~TensorCommunicator() = default;
  // Whether the group has a transport for tensors on such devices.
  virtual bool reaches(c10::DeviceType type) const = 0;
  // As Communicator::start_all_reduce, for the elements of a contiguous tensor. On a GPU the wait
  // blocks the current stream, not the host.
  virtual std::unique_ptr<PendingCollective> start_all_reduce(const at::Tensor& tensor,
                                                              Reduction reduction) = 0;
};

}  // namespace mithril::torch_backend
