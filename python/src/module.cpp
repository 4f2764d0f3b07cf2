// The module mithril._core.
#include <string>

#include "convert.hpp"
#include "mithril/base/version.hpp"
#include "process.hpp"
#include "profile.hpp"

namespace mithril::python {
namespace {

// __new__ without __init__ makes an object without a C++ instance, for which pybind11 would pass
// uninitialised memory. Here it is refused as an argument of the wrong type.
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
  bind_initializers(module);
  bind_training(module);
  bind_json(module);
  bind_library(module);
  bind_user_ops(module);
  bind_constraints(module);
  bind_compile(module);
  bind_compare(module);
  bind_profile(module);
  bind_loss_scale(module);
  bind_jax(module);
  bind_jax_backend(module);
  bind_web(module);
  bind_derivatives(module);
  bind_loops(module);
  bind_vmap(module);
  bind_distributed(module);
  bind_generation(module);
  bind_metrics(module);
  bind_engine(module);
  bind_per_sample(module);
  bind_schedules(module);
  bind_lbfgs(module);
  bind_files(module);
  bind_packages(module);
  bind_onnx(module);
  bind_tokenizer(module);
  bind_training_options(module);
  bind_optimizers(module);
  refuse_unmade(module);
  // Signatures, and errors for calls that do not fit.
  py::module_::import("mithril._internal.arguments").attr("install")(module);
}
