// A compiled model as a file for a program that needs no Mithril.
#pragma once
#include <string>

#include "mithril/compile/compiled_model.hpp"

namespace mithril {

struct WriteOptions {
  // "cpp", "jax", "javascript" or "torchscript"; empty: the one that the ending of the path names:
  // ".cpp", ".py", ".mjs" or ".pt".
  std::string target = {};
  TensorMap params = {};  // that "torchscript" stores
  TensorMap data = {};    // an example of each input whose sizes are unknown; "jax" keeps them open
  std::string device = {};  // of "javascript": "cpu", the default, or "webgpu"
};

// Calls write_cpp, write_jax, write_javascript or save_torchscript, whose errors it raises.
// NameError E0630 for an unknown target; ValueError E0492 for a path whose ending no target has,
// E0493 for an option that the target does not take. Example:
//   ml::write(compiled, "net.py");
// write_library and wasm_source write the sources of libraries and of WebAssembly, for a compiler.
void write(const CompiledModel& compiled, const std::string& path,
           const WriteOptions& options = {});

}  // namespace mithril
