// Shared by evaluations and training steps.
#pragma once

#include <vector>

#include "mithril/compile/parts.hpp"

namespace mithril {

// The parts to run: those from before any hook while all hooks are removed.
const std::shared_ptr<CompiledModel::Parts>& in_use(
    const std::shared_ptr<CompiledModel::Parts>& parts);
// The parts in inference mode, built on first use.
std::shared_ptr<CompiledModel::Parts> in_inference(
    const std::shared_ptr<CompiledModel::Parts>& parts);

// The outputs with incoming gradients: the named ones, or the cost. InputError E0807, E0808.
std::vector<size_t> requested(const CompiledParts& parts, const OutputGradients& asked);

// The incoming gradient of the output of[i], converted; 1 for the cost.
Tensor incoming_gradient(const CompiledParts& parts, const Signature& signature,
                         const OutputGradients& asked, const std::vector<size_t>& of, size_t i);

// StateError E0920 if the model needs a state and none was passed, E0902 for other keys. `call`:
// the name of the called function, for the message.
void check_state(const CompiledParts& parts, const State& state, const char* call);

// StateError E0923 for a state of other dims or of another kind.
void check_fits(const Signature& signature, const NamedIndex& key, const Tensor& state);

// Puts the tensors of the user in their places among the inputs. InputError E0801, E0802, E0805,
// E0806, StateError E0902.
void take_inputs(const CompiledParts& parts, const Signature& signature, const TensorMap& params,
                 const TensorMap& data, const State& state, std::vector<Tensor>& inputs);

// The results of a program by name.
TensorMap named(const std::vector<NamedIndex>& keys, const std::vector<Tensor>& tensors);
// The next state: changed states from `made`, the others from `given`.
State next_state(const CompiledParts& parts, const State& given, const std::vector<Tensor>& made);

}  // namespace mithril
