// Shared by evaluations and training steps.
#pragma once

#include <vector>

#include "mithril/compile/compiled_state.hpp"

namespace mithril {

// The state to run: the one without hooks if all hooks are removed.
const std::shared_ptr<CompiledModel::Impl>& in_use(
    const std::shared_ptr<CompiledModel::Impl>& compiled);
// The state in inference mode, built on first use.
std::shared_ptr<CompiledModel::Impl> in_inference(
    const std::shared_ptr<CompiledModel::Impl>& compiled);

// The names in a row, or "none".
std::string names_or_none(const std::vector<std::string>& names);

// The outputs with incoming gradients: the named ones, or the cost. InputError E0807, E0808.
std::vector<size_t> requested(const CompiledState& compiled, const OutputGradients& asked);

// The incoming gradient of the output requested_outputs[i], converted; 1 for the cost.
Tensor incoming_gradient(const CompiledState& compiled, const Signature& signature,
                         const OutputGradients& asked, const std::vector<size_t>& requested_outputs,
                         size_t i);

// StateError E0920 if the model needs a state and none was passed, E0902 for other keys. `call`:
// the name of the called function, for the message.
void check_state(const CompiledState& compiled, const State& state, const char* call);

// StateError E0923 for a state of other dims or of another kind.
void check_fits(const Signature& signature, const NamedIndex& key, const Tensor& state);

// The parameters of the model among these tensors, in its widths. StateError E0901 as
// load_state_dict.
TensorMap fitting_parameters(const CompiledModel::Impl& compiled, const TensorMap& saved);

// Puts the tensors of the user in their places among the inputs. `data_name`: the name of `data` in
// messages; `takes_outputs`: whether the caller may ask for some outputs. InputError E0801, E0802,
// E0805, E0806, StateError E0902.
void take_inputs(const CompiledState& compiled, const Signature& signature, const TensorMap& params,
                 const TensorMap& data, const State& state, std::vector<Tensor>& inputs,
                 const char* data_name = "data", bool takes_outputs = false);

// Runs an executable of the model. While debugging, ValueError E0410 says which inputs had NaN.
std::vector<Tensor> run_debugged(const CompiledState& compiled, const Executable& executable,
                                 const std::vector<Tensor>& inputs);

// The results of a program by name.
TensorMap named(const std::vector<NamedIndex>& keys, const std::vector<Tensor>& tensors);
// The next state: changed states from `results`, the others from `previous`.
State next_state(const CompiledState& compiled, const State& previous,
                 const std::vector<Tensor>& results);

}  // namespace mithril
