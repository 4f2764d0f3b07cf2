// Checks of the dtypes in options of backends.
#pragma once

#include "mithril/tensor/dtype.hpp"

namespace mithril {

// Checks the default dtype of floats; TypeError E0383 if it is not floating.
DType checked_dtype(DType dtype);
// Checks the dtype of mixed precision; TypeError E0385 if it does not have 16 bits.
DType checked_amp_dtype(DType dtype);

}  // namespace mithril
