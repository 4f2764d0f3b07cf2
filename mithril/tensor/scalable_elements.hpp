// Tensors of other libraries that are multiplied on their device.
#pragma once

#include <span>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// A second base of ForeignElements.
class ScalableElements {
 public:
  virtual ~ScalableElements() = default;
  // New tensors, each times the factor; all are of this library, and floats. With `finite`, which
  // becomes false if an element of them is not, each device is waited for once.
  virtual std::vector<Tensor> scaled(std::span<const Tensor> tensors, float factor,
                                     bool* finite) const = 0;
};

}  // namespace mithril
