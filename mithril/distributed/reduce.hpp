// The elements of several processes, reduced in the order of ranks.
#pragma once

#include <cstdint>
#include <span>

#include "mithril/distributed/communicator.hpp"

namespace mithril {

// Replaces the `count` elements at each address by their reduction. Sums of 16-bit floats are
// rounded once; integers wrap; a NaN remains.
void reduce_in_order(std::span<void* const> addresses, DType dtype, std::int64_t count,
                     Reduction reduction);

}  // namespace mithril
