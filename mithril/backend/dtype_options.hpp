// Checks of the dtypes in options of backends.
#pragma once

#include "mithril/tensor/dtype.hpp"

namespace mithril {

// That of floats that nothing else decides; TypeError E0383 where it is not floating.
DType checked_dtype(DType dtype);
// That of mixed precision; TypeError E0385 where it has not 16 bits.
DType checked_amp_dtype(DType dtype);

}  // namespace mithril
