// A compiled model as the sources of a WebAssembly package.
#pragma once
#include <string>

#include "mithril/graph/exported_model.hpp"

namespace mithril {

// C++ for clang --target=wasm32-wasi -msimd128 (docs/web.md). BackendError E1031, E1032 as
// cpp_source.
std::string wasm_source(const ExportedModel& model, const std::string& name);

// Writes the npm package without model.wasm, which is compiled from wasm_source: loaders for
// `import` and `require`, their types, and package.json. The module has the same interface as that
// of write_javascript. BackendError E1030 if a file cannot be written.
void write_wasm_loaders(const ExportedModel& model, const std::string& folder);

}  // namespace mithril
