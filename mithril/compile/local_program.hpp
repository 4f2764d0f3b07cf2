// The programs of a model that several processes train together.
#pragma once

#include "mithril/backend/backend.hpp"
#include "mithril/compile/training_graph.hpp"
#include "mithril/distributed/communicator.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

struct CompiledState;

// Whether the group has other processes; null has none.
bool has_peers(const Communicator* group);
// Whether the programs of the model exchange tensors: it has a group with other processes, and is
// not in inference mode, where each process runs alone.
bool is_placed(const CompiledState& compiled);

// BackendError E1054 for a backend that cannot exchange tensors.
void check_exchanges(const Backend& backend, bool several);
// NameError E0606 for a name among replicated_keys that is no data input.
void check_replicated(const CompiledState& compiled);

// DistributedError E0964 on all processes if sizes that are open, besides the numbers of rows,
// differ between them: lengths of padded texts. `inputs` are those of a program of the model.
void agree_on_sizes(const CompiledState& compiled, const std::vector<Tensor>& inputs);

// The program of this process (passes/placements/place.hpp): `graph` itself if the model is not
// placed. The inputs of the graph begin with those of the model.
Graph placed(const CompiledState& compiled, const Graph& graph);
// The same for a step: each process keeps its own sums of gradients, which are exchanged before the
// update.
Graph placed(const CompiledState& compiled, const TrainingGraph& step);

}  // namespace mithril
