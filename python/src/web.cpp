// Compiled models as modules of JavaScript and WebAssembly.
#include "codegen/web/write_javascript.hpp"
#include "codegen/web/write_wasm.hpp"
#include "codegen/web/write_web_driver.hpp"
#include "convert.hpp"
#include "mithril/compile/compiled_model.hpp"

namespace mithril::python {

void bind_web(py::module_& module) {
  module.def(
      "to_javascript",
      [](const CompiledModel& compiled, py::handle path, const py::dict& data) {
        write_javascript(compiled.exported(tensor_map_of(data)), path_of(path));
      },
      py::arg("compiled"), py::arg("path"), py::kw_only(), py::arg("data") = py::dict(),
      R"(Writes a compiled model, for inputs of one size, as a module of JavaScript.

A path that ends with ".mjs" is one ES module without dependencies, with its types beside it
("model.d.mts"). Any other path is a folder: an npm package for `import` and `require`. The module
evaluates the outputs and the gradients, trains with Adam and SGD, and loads safetensors files.

Args:
    data: an example of each input whose sizes are not known.

Example:
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [1, 4]})
    ml.to_javascript(compiled, "net.mjs"))");
  module.def(
      "write_web_driver", [](py::handle folder) { write_web_driver(path_of(folder)); },
      py::arg("folder"),
      R"(Writes an npm package that generates text with language models in Mithril packages.

It has `TorchModel`, `LMError` and `TorchUtils`. The package of a model has its module of
`to_wasm` or `to_javascript` in `backends/wasm` or `backends/javascript`.)");
  module.def("_wasm_source",
             [](const CompiledModel& compiled, const py::dict& data, const std::string& name) {
               return wasm_source(compiled.exported(tensor_map_of(data)), name);
             });
  module.def("_write_wasm_loaders",
             [](const CompiledModel& compiled, const py::dict& data, py::handle folder) {
               write_wasm_loaders(compiled.exported(tensor_map_of(data)), path_of(folder));
             });
}

}  // namespace mithril::python
