// A compiled model as one readable Python module that needs only JAX.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/exported_model.hpp"

namespace mithril {

// The function `model(params, data) -> outputs`, on dicts of arrays by key. With states the
// functions are `model(params, data, state) -> (outputs, state)` and `initial_state()`. Sizes may
// be open: the module reads them from the arrays. jax.jit, jax.grad and jax.vmap apply to `model`.
// BackendError E1033 lists every op without a spelling for JAX; E1034 if a size follows from no
// input. Example:
//   ml::write_jax(compiled.exported_with_open_sizes(), "model.py");
std::string jax_source(const ExportedModel& model, const std::string& name);

// Writes a file. BackendError E1030 if it cannot be written; an older file is then kept.
void write_jax(const ExportedModel& model, const std::string& path);

// A graph as a module with `run(inputs, constants) -> outputs`, of lists of arrays, for a backend.
struct JaxProgram {
  std::string source;
  std::vector<Tensor> constants = {};
};
JaxProgram jax_program(const Graph& graph);

// The names of the graph's ops without a spelling for JAX, each once.
std::vector<std::string> ops_without_jax(const Graph& graph);

}  // namespace mithril
