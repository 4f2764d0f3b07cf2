// The programs of a model that several processes train together.
#pragma once

#include <optional>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/compile/training_graph.hpp"
#include "mithril/distributed/communicator.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/place.hpp"
#include "mithril/tensor/blocks.hpp"

namespace mithril {

struct CompiledState;

// Whether the group has other processes; null has none.
bool has_peers(const Communicator* group);
// Whether the programs of the model exchange tensors. In inference mode each process runs alone.
bool is_distributed(const CompiledState& compiled);
// The group with which they do; null: none.
Communicator* group_of(const CompiledState& compiled);

// BackendError E1054 for a backend that cannot exchange tensors.
void check_exchanges(const Backend& backend, bool several);
// BackendError E1054 "<subject> cannot train on several processes" if the model is distributed.
void refuse_distributed(const CompiledState& compiled, const char* subject, const char* help);
// NameError E0606 for a name among replicated_keys that is no data input.
void check_replicated(const CompiledState& compiled);

// DistributedError E0964 on all processes if an open size other than the batch size differs between
// them, such as the length of padded texts. `inputs` are those of a program of the model.
void agree_on_sizes(const CompiledState& compiled, const std::vector<Tensor>& inputs);

// The program that this process runs for the global `graph` (passes/placements/place.hpp); `graph`
// itself unless the model is distributed. The inputs of the graph begin with those of the model.
Graph local_program(const CompiledState& compiled, const Graph& graph);
// The block of the memory of an optimizer for a parameter with these dims that this process holds;
// none: all of it.
std::optional<TensorBlock> memory_block(const CompiledState& compiled, const Dims& dims);

// That of a step. Each process keeps local sums of gradients, which are exchanged before the
// update.
Graph local_program(const CompiledState& compiled, const TrainingGraph& step);

// What the processes exchange in the program for the global `graph`, in the order in which the
// exchanges start; nothing unless the model is distributed. Exchanges nothing itself.
std::vector<Collective> collectives_of(const CompiledState& compiled, const Graph& graph);

}  // namespace mithril
