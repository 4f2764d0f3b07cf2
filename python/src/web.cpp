// Compiled models as modules of JavaScript and WebAssembly, and as C++ libraries.
#include "codegen/cpp/write_library.hpp"
#include "codegen/web/wasm_compiler.hpp"
#include "codegen/web/write_javascript.hpp"
#include "codegen/web/write_wasm.hpp"
#include "codegen/web/write_web_driver.hpp"
#include "convert.hpp"
#include "mithril/compile/compiled_model.hpp"

namespace mithril::python {
namespace {

void write_library_files(const CompiledModel& compiled, const py::dict& params,
                         const py::dict& data, py::handle source, py::handle weights,
                         py::handle exports, const std::string& name) {
  write_library(compiled.exported(tensor_map_of(data)), tensor_map_of(params),
                {.source = path_of(source),
                 .weights = path_of(weights),
                 .exports = path_of(exports),
                 .name = name});
}

}  // namespace

void bind_web(py::module_& module) {
  module.def(
      "to_javascript",
      [](const CompiledModel& compiled, py::handle path, const py::dict& data,
         const std::string& device) {
        write_javascript(compiled.exported(tensor_map_of(data)), path_of(path), device);
      },
      py::arg("compiled"), py::arg("path"), py::kw_only(), py::arg("data") = py::dict(),
      py::arg("device") = "cpu",
      R"(Writes a compiled model as a JavaScript module, for inputs of one size.

A path that ends in .mjs becomes one ES module without dependencies, with its types in a file
beside it ("net.d.mts"). Any other path becomes a folder with an npm package for `import` and
`require`. The module evaluates outputs and gradients, trains with Adam and SGD, and loads
safetensors files. `ml.export` does this for every target.

Args:
    data: an example of each input whose sizes are open.
    device: "cpu", or "webgpu" for a module that computes with WebGPU. Its `evaluate` returns a
        promise, and it has no gradients.

Raises:
    InputError: If sizes are open and `data` has no example.
    NameError: If the device is unknown.
    BackendError: If an op or a dtype is not supported in JavaScript, or on the device.

Example:
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [1, 4]})
    ml.to_javascript(compiled, "net.mjs")
    ml.to_javascript(compiled, "net_gpu.mjs", device="webgpu")

See docs/web.md.)");
  module.def(
      "write_web_driver", [](py::handle folder) { write_web_driver(path_of(folder)); },
      py::arg("folder"),
      R"(Writes an npm package that generates text with language models, and trains small ones.

The package exports `TorchModel`, `LMError` and `TorchUtils`. A model is that of a Mithril package,
which contains the module that `to_wasm` or `to_javascript` wrote, in `backends/wasm` or
`backends/javascript`, or a new network with random weights.

Example:
    ml.write_web_driver("driver")

See docs/web.md.)");
  module.def("_write_library", write_library_files);
  module.def("_wasm_source",
             [](const CompiledModel& compiled, const py::dict& data, const std::string& name) {
               return wasm_source(compiled.exported(tensor_map_of(data)), name);
             });
  module.def("_wasm_compiler", [] {
    const std::vector<std::string> flags(wasm_compiler_flags.begin(), wasm_compiler_flags.end());
    return py::make_tuple(flags, wasm_compiler_packages);
  });
  module.def("_write_wasm_loaders",
             [](const CompiledModel& compiled, const py::dict& data, py::handle folder) {
               write_wasm_loaders(compiled.exported(tensor_map_of(data)), path_of(folder));
             });
}

}  // namespace mithril::python
