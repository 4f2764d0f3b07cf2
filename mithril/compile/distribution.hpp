// Whether several processes train a model, and what they exclude.
#pragma once

#include "mithril/backend/backend.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril {

// Whether the group has other processes; null has none.
bool has_peers(const Communicator* group);
// Whether the programs of the model exchange tensors. In inference mode each process runs alone.
bool is_distributed(const CompiledState& compiled);
// The group with which they do; null: none.
Communicator* group_of(const CompiledState& compiled);

// BackendError E1054 for a backend that cannot exchange tensors.
void check_exchanges(const Backend& backend, bool several);
// BackendError E1054 "<subject> takes a model of one process" if the model is distributed.
void refuse_distributed(const CompiledState& compiled, const char* subject, const char* help);
// The same for what is written to run in one process.
void refuse_export(const CompiledState& compiled, const char* subject);
}  // namespace mithril
