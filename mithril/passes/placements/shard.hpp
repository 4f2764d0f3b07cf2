// Shards parameters and the memory of optimizers over the processes of a group: tensor parallel
// training.
#pragma once
#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/placed_graph.hpp"
#include "mithril/passes/placements/shard_options.hpp"

namespace mithril {

// The graph of one process, which computes the blocks that follow from those of the inputs. The
// records of ops say how blocks pass them, as for the rows of a batch: a block is a sample. Where a
// process needs the whole of a value of which it has a block or a term, the graph contains
// all_reduce_start and all_reduce_wait. A node that has no rule for blocks computes on whole
// values. For one process it is the same graph.
// StateError E0952: no sizes fit.
PlacedGraph shard(const Graph& graph, const ShardOptions& options);

}  // namespace mithril
