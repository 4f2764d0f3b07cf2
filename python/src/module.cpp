// The module mithril._core.
#include <string>

#include "convert.hpp"
#include "mithril/base/version.hpp"
#include "process.hpp"

namespace mithril::python {
namespace {

// __new__ without __init__ makes an object with nothing in it, for which pybind11 would allocate
// memory and pass it uninitialised. It is refused as an argument of another type is.
void refuse_unmade(const py::module_& module) {
  for (const auto& [name, object] : module.attr("__dict__").cast<py::dict>()) {
    if (!PyType_Check(object.ptr())) continue;
    auto* info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(object.ptr()));
    if (info) info->operator_new = [](size_t) -> void* { throw py::reference_cast_error(); };
  }
}

}  // namespace
}  // namespace mithril::python

PYBIND11_MODULE(_core, module) {
  using namespace mithril::python;
  module.attr("__version__") = std::string(mithril::version());
  module.doc() = "The core of Mithril; import mithril instead.";
  bind_errors(module);
  bind_limits(module);
  bind_interrupt();
  bind_values(module);
  bind_tensors(module);
  bind_connections(module);
  bind_models(module);
  bind_training(module);
  bind_json(module);
  bind_library(module);
  bind_constraints(module);
  bind_compile(module);
  bind_optimizers(module);
  refuse_unmade(module);
  // Errors of ours for calls that do not fit, and signatures.
  py::module_::import("mithril.calls").attr("install")(module);
}
