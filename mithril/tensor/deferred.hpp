// Elements that are made on each read, and not kept.
#pragma once

#include <functional>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// Each `host()` calls `make`, from any thread, which always returns the same elements with this
// dtype and these dims. The elements of the deferred tensor itself cannot be read (ValueError
// E0487).
Tensor deferred(DType dtype, Dims dims, std::function<Tensor()> make);

}  // namespace mithril
