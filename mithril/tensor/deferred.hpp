// Elements that are made on each read, and not kept.
#pragma once

#include <functional>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Each `host()` calls `make`, which gives a tensor of this dtype and these dims, always the same;
// from any thread. The elements of the tensor itself cannot be read (ValueError E0487).
Tensor deferred(DType dtype, Dims dims, std::function<Tensor()> make);

}  // namespace mithril
