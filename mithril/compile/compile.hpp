// Compiles a model for a backend.
#pragma once

#include <memory>

#include "mithril/backend/backend.hpp"
#include "mithril/backend/backends.hpp"
#include "mithril/compile/compiled_model.hpp"
#include "mithril/compile/options.hpp"

namespace mithril {

// The model does not change and may be composed further. No other thread may use it during the
// call. Example:
//   auto compiled = ml::compile(net, ml::cpu(), {.shapes = {{"image", {ml::any, 1, 8, 8}}}});
//   auto params = compiled.get_parameters();
//   auto [outputs, gradients] = compiled.evaluate(params, {{"image", x}}, {{"logits", g}});
// Raises every error of the model, of the options and of the backend: ValueError E0403 for an
// unknown value, BackendError E1001 for ops that the backend lacks, E1052 for a null backend.
CompiledModel compile(const Model& model, std::shared_ptr<Backend> backend,
                      CompileOptions options = {});

// The same on several backends. Example:
//   auto compiled = ml::compile(net, {{"", ml::torch()}, {"head", ml::cpu()}});
// Tensors cross between backends without a copy where both reach their memory, otherwise with one
// copy. Parameters, states and results are tensors of the backend of "". NameError E0645 for a path
// that no part has; BackendError E1060 without "", E1061 for backends whose floats have different
// dtypes, E1062 for a backend that takes part in its library's differentiation.
CompiledModel compile(const Model& model, Backends backends, CompileOptions options = {});

}  // namespace mithril
