// Checks that the processes of a group train the same model, from the same parameters. Otherwise
// they would exchange tensors that do not belong together.
#pragma once

#include <string>
#include <vector>

#include "mithril/distributed/agree.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

struct CompiledState;

// DistributedError E0964 on all processes, which names the first difference, unless they have the
// same version of Mithril, backend, options, keys, shapes and graph. `graph`: of the program before
// it is placed.
void agree_on_program(const CompiledState& compiled, const Graph& graph);
// The same for a further program of a model on whose first program the processes agree.
void agree_on_graph(const CompiledState& compiled, const Graph& graph);

// DistributedError E0972 or E0973 (distributed/gpus.hpp) if processes share a GPU, unless their
// group allows it. Call it after agree_on_program.
void check_gpus(const CompiledState& compiled);

// An entry for each tensor: its dtype, its dims and a checksum of its elements.
void add_tensors(AgreementEntries& entries, const std::string& what, const TensorMap& tensors);

}  // namespace mithril
