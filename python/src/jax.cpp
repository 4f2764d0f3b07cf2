// Compiled models as modules for JAX.
#include "codegen/jax/write_jax.hpp"
#include "convert.hpp"
#include "mithril/compile/compiled_model.hpp"

namespace mithril::python {

void bind_jax(py::module_& module) {
  module.def(
      "to_jax",
      [](const CompiledModel& compiled, py::handle path) {
        write_jax(compiled.exported_with_open_sizes(), path_of(path));
      },
      py::arg("compiled"), py::arg("path"),
      R"(Writes a compiled model as one readable Python module that needs only JAX.

The module has a function `model(params, data) -> outputs` of dicts of arrays. If the model has a
state, it has `model(params, data, state) -> (outputs, state)` and `initial_state()`. jax.jit,
jax.grad and jax.vmap apply to it. The module runs all sizes that compiling left open.
`ml.export` does this for every target.

Raises:
    BackendError: If an op has no JAX spelling.

Example:
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": ["N", 4]})
    ml.to_jax(compiled, "net.py")

See docs/jax.md.)");
}

}  // namespace mithril::python
