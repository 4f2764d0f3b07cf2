// Runs the placed graphs of all processes of a group side by side, with the reference.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mithril/passes/placements/place.hpp"
#include "mithril/passes/placements/shard.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {

// The graph of each process of a group of this size.
std::vector<PlacedGraph> place_all(const Graph& graph, PlacementOptions options, int size);

// The groups of a name: the processes of each. Of other names all processes are one group.
using GroupsByName = std::map<std::string, std::vector<std::vector<size_t>>>;

// The outputs of each process. `inputs`: of each process. Throws std::logic_error if the processes
// do not meet in the same collectives with the same sizes.
std::vector<std::vector<Tensor>> run_lockstep(const std::vector<PlacedGraph>& placed,
                                              const std::vector<std::vector<Tensor>>& inputs,
                                              const GroupsByName& groups = {});

// The inputs of each process: rows of sharded inputs, and of a partial one the whole on the first
// process and zeros on the others.
std::vector<std::vector<Tensor>> cut(const std::vector<PlacedGraph>& placed,
                                     const std::vector<Tensor>& inputs);
// Whole outputs. Throws std::logic_error if processes differ in a replicated one.
std::vector<Tensor> join(const std::vector<PlacedGraph>& placed,
                         const std::vector<std::vector<Tensor>>& outputs);

// The outputs for whole inputs, computed by a group of this size.
std::vector<Tensor> run_placed(const Graph& graph, const PlacementOptions& options, int size,
                               const std::vector<Tensor>& inputs);

// The graph of each process of a group of this size, which holds blocks.
std::vector<PlacedGraph> shard_all(const Graph& graph, ShardOptions options, int size);
// The blocks of each process of sharded inputs.
std::vector<std::vector<Tensor>> cut_blocks(const std::vector<PlacedGraph>& sharded,
                                            const std::vector<Tensor>& inputs);
// The outputs for whole inputs, computed by a group of this size on blocks.
std::vector<Tensor> run_sharded(const Graph& graph, const ShardOptions& options, int size,
                                const std::vector<Tensor>& inputs);

}  // namespace mithril::tests
