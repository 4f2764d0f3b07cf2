// Forms of a compiled model that make some of its outputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mithril/compile/compiled_state.hpp"

namespace mithril {

// The form that makes these outputs and takes only the inputs that they need, compiled on first
// use; without names `compiled` itself. InputError E0807 for an unknown output.
std::shared_ptr<CompiledModel::Impl> with_outputs(
    const std::shared_ptr<CompiledModel::Impl>& compiled, const std::vector<std::string>& outputs);

// The inference form; `outputs` as in assemble.
std::shared_ptr<CompiledModel::Impl> made_for_inference(
    const CompiledModel::Impl& from, std::shared_ptr<CompiledModel::Impl> without_hooks,
    const std::vector<std::string>* outputs);

// Takes over the hooks on values that both forms compute.
void take_hooks(CompiledModel::Impl& compiled, const CompiledModel::Impl& from,
                std::shared_ptr<CompiledModel::Impl> without_hooks);

// The index of an output. InputError E0807.
size_t output_named(const CompiledState& compiled, const std::string& name);

}  // namespace mithril
