// The sizes of blocks.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

// An axis that n processes share: it has outer * n * inner elements, and block r of process r has
// the elements (o, r, i).
struct BlockSizes {
  Dim outer, inner, local;  // local = outer * inner
};

// None if the sizes of the blocks do not follow from `dim`, or if its parts cannot be told.
// `size`: the axis in an example, in which outer is `outer`.
std::optional<BlockSizes> block_sizes(const Dim& dim, int64_t size, int64_t outer,
                                      int64_t processes);

}  // namespace mithril
