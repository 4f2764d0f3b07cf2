// Backends.
#include <pybind11/stl.h>

#include "backends/cpu/cpu.hpp"
#include "convert.hpp"
#include "mithril/backend/dtype_options.hpp"
#include "mithril/backend/memory.hpp"
#include "mithril/backend/plugin.hpp"

namespace mithril::python {

void bind_backends(py::module_& module) {
  py::class_<Backend, std::shared_ptr<Backend>> backend(module, "Backend",
                                                        "A library that runs models.");
  bind_memory(module, backend);
  backend
      .def(py::init([](py::handle library, const py::dict& options) {
             if (py::isinstance<Backend>(library)) return library.cast<std::shared_ptr<Backend>>();
             Arguments arguments;
             for (const auto& [key, value] : options) {
               const std::string name = text_of(key, "the name of an option");
               if (name == "dtype") {
                 arguments.emplace_back(name, checked_dtype(dtype_of_object(value)));
               } else if (name == "amp_dtype") {
                 arguments.emplace_back(name, checked_amp_dtype(dtype_of_object(value)));
               } else {
                 arguments.emplace_back(name, datum_of(value));
               }
             }
             return load_backend(plugin_path(text_of(library, "the name of a library")), arguments);
           }),
           py::arg("library"), py::arg("options") = py::dict())
      .def_property_readonly("name", &Backend::name, "The name of the backend, such as \"cpu\".");
  module.def(
      "cpu_backend",
      [](py::handle dtype, int threads, py::handle memory_limit, bool reference, bool winograd,
         py::handle weight_dtype, bool use_amp, py::handle amp_dtype) {
        CpuOptions options{.dtype = dtype_of_object(dtype),
                           .threads = threads,
                           .reference = reference,
                           .winograd = winograd,
                           .use_amp = use_amp,
                           .amp_dtype = dtype_of_object(amp_dtype)};
        if (!memory_limit.is_none()) {
          options.memory_limit = read_bytes(datum_of(memory_limit), "memory_limit");
        }
        if (!weight_dtype.is_none()) options.weight_dtype = dtype_of_object(weight_dtype);
        return cpu(options);
      },
      py::arg_v("dtype", DType::float32, "dtype.float32"), py::kw_only(), py::arg("threads") = 0,
      py::arg("memory_limit") = py::none(), py::arg("reference") = false,
      py::arg("winograd") = true, py::arg("weight_dtype") = py::none(), py::arg("use_amp") = false,
      py::arg_v("amp_dtype", DType::bfloat16, "dtype.bfloat16"),
      "Creates the backend that CpuBackend wraps.");
}

}  // namespace mithril::python
