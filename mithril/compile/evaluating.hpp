// What evaluations and steps of training have in common.
#pragma once

#include <vector>

#include "mithril/compile/parts.hpp"

namespace mithril {

// What runs while all hooks are removed is what ran before there were any.
CompiledModel::Parts& in_use(CompiledModel::Parts& parts);

// The outputs that gradients come in at: those that are named, or the cost. InputError E0807,
// E0808.
std::vector<size_t> requested(const CompiledParts& parts, const OutputGradients& asked);

// What comes in at the output of[i], converted; 1 for the cost.
Tensor incoming_gradient(const CompiledParts& parts, const Signature& signature,
                         const OutputGradients& asked, const std::vector<size_t>& of, size_t i);

// Puts what a user gives at its places among the inputs. InputError E0801, E0802, E0805, E0806,
// StateError E0902.
void take_inputs(const CompiledParts& parts, const Signature& signature, const TensorMap& params,
                 const TensorMap& data, const State& state, std::vector<Tensor>& inputs);

// Of what a program made.
TensorMap named(const std::vector<NamedIndex>& keys, const std::vector<Tensor>& tensors);
State next_state(const CompiledParts& parts, const std::vector<Tensor>& made);

}  // namespace mithril
