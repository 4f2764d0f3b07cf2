// The programs of a model that several processes train together.
#pragma once

#include <optional>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/compile/distribution.hpp"
#include "mithril/compile/training_graph.hpp"
#include "mithril/distributed/communicator.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/passes/placements/placed_graph.hpp"

namespace mithril {

struct CompiledState;

// NameError E0606 for a name among replicated_keys that is not a data input.
void check_replicated(const CompiledState& compiled);

// StateError E0951 for an input with rows whose number is fixed, so that processes cannot share
// them.
void check_rows(const CompiledState& compiled);

// DistributedError E0964 on all processes if an open size other than the batch size differs between
// them, such as the length of padded texts, and on those that share parameters if the batch size
// does. `inputs` are those of a program of the model.
void agree_on_sizes(const CompiledState& compiled, const std::vector<Tensor>& inputs);

// The program that this process runs for the global `graph` (passes/placements/place.hpp); `graph`
// itself unless the model is distributed. The inputs of the graph begin with those of the model.
// Its last outputs are the gradients of `differentiated`: blocks of those that are blocks.
Graph local_program(const CompiledState& compiled, const Graph& graph,
                    const std::vector<size_t>& differentiated = {});
// The block of the memory of an optimizer that this process holds for a parameter, of which it has
// these dims; none: all of it.
std::optional<MemoryBlock> memory_block(const CompiledState& compiled, const std::string& key,
                                        const Dims& dims);

// The local program of a step. Each process keeps local sums of gradients, which are exchanged
// before the update.
Graph local_program(const CompiledState& compiled, const TrainingGraph& step);

// The collectives in the program for the global `graph`, in the order in which they start; none
// unless the model is distributed. Runs no collective.
std::vector<Collective> collectives_of(const CompiledState& compiled, const Graph& graph,
                                       const std::vector<size_t>& differentiated);

}  // namespace mithril
