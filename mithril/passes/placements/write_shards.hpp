// Writes the graph of one process from the blocks that it holds.
#pragma once
#include "mithril/passes/placements/find_placements.hpp"
#include "mithril/passes/placements/find_shards.hpp"

namespace mithril {

// A graph of local sizes in which the readers of a gathered block read a term of a sum: the block
// in a tensor of the whole size. `placements`: of its values, for write_placed.
struct LocalGraph {
  Graph graph;
  FoundPlacements placements = {};
};

LocalGraph write_shards(const Graph& graph, const ShardRules& rules, const FoundShards& found,
                        const ShardOptions& options);

}  // namespace mithril
