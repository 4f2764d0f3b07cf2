// From a model to what evaluates it.
#pragma once

#include <memory>

#include "mithril/backend/backend.hpp"
#include "mithril/compile/compiled_model.hpp"
#include "mithril/compile/options.hpp"

namespace mithril {

// The model stays as it is, and may be composed further; meanwhile no other thread may work on it.
// Example:
//   auto compiled = ml::compile(net, ml::cpu(), {.shapes = {{"image", {ml::any, 1, 8, 8}}}});
//   auto params = compiled.get_parameters();
//   auto [outputs, gradients] = compiled.evaluate(params, {{"image", x}}, {{"logits", g}});
// What is found wrong with the model, with the facts given here, or by the backend is raised here:
// ValueError E0403 for a value that is not known, BackendError E1001 for ops that the backend
// lacks, E1052 for a null backend.
CompiledModel compile(const Model& model, std::shared_ptr<Backend> backend,
                      CompileOptions options = {});

}  // namespace mithril
