// Parameters that the processes of a group share (CompileOptions::placements).
#pragma once

#include <optional>
#include <string>

#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/options.hpp"
#include "mithril/distributed/agree.hpp"
#include "mithril/tensor/blocks.hpp"

namespace mithril {

// Finds the mesh, the parameters that are sharded, and the groups of this process. Errors as those
// of CompileOptions::placements and mesh; DistributedError E0964 if the processes differ in them.
void place_parameters(CompiledState& compiled, const CompileOptions& options);

// Whether this process holds blocks of parameters.
bool has_blocks(const CompiledState& compiled);
// The block of the parameter that it holds; none: all of it.
std::optional<TensorBlock> parameter_block(const CompiledState& compiled, const std::string& key);

// The whole of a tensor of which each process of the group holds a block. All of them call it.
Tensor gathered(Communicator& group, const Tensor& part, const TensorBlock& block);

// `agree` among some processes of the group, which its other processes do not take part in: they
// get E0963 if these differ.
void agree_among(const CompiledState& compiled, Communicator& some, const std::string& what,
                 const AgreementEntries& entries);

// StateError E0925 if a sharded parameter is whole.
void require_blocks(const CompiledState& compiled, const TensorMap& params);
// StateError E0925 if a parameter is a block. `call`: "infer".
void refuse_blocks(const CompiledState& compiled, const TensorMap& params, const char* call);

}  // namespace mithril
