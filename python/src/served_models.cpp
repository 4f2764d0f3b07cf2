// What an engine tells about the models that it serves.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/engine/engine.hpp"

namespace mithril::python {
namespace {

py::list served_ports(const std::vector<ServedTensor>& ports) {
  py::list listed;
  for (const ServedTensor& port : ports) {
    py::object shape = py::none();
    if (port.shape) shape = sizes_of(*port.shape);
    listed.append(py::dict(py::arg("name") = port.name, py::arg("dtype") = port.dtype,
                           py::arg("shape") = shape));
  }
  return listed;
}

py::dict info_dict(const Engine& engine, const std::string& name) {
  const ServedModelInfo info = call_unlocked([&] { return engine.model_info(name); });
  return py::dict(py::arg("name") = info.name, py::arg("backend") = info.backend,
                  py::arg("inputs") = served_ports(info.inputs),
                  py::arg("outputs") = served_ports(info.outputs), py::arg("states") = info.states,
                  py::arg("max_batch_size") = info.options.max_batch_size,
                  py::arg("bytes") = info.bytes, py::arg("loaded") = info.loaded);
}

py::dict stats_dict(const Engine& engine, const std::string& name) {
  const ServingStats stats = call_unlocked([&] { return engine.stats(name); });
  return py::dict(
      py::arg("requests") = stats.requests, py::arg("answered") = stats.answered,
      py::arg("failed") = stats.failed, py::arg("rejected") = stats.rejected,
      py::arg("expired") = stats.expired, py::arg("cancelled") = stats.cancelled,
      py::arg("calls") = stats.calls, py::arg("rows") = stats.rows, py::arg("loads") = stats.loads,
      py::arg("waiting") = stats.waiting, py::arg("sessions") = stats.sessions,
      py::arg("wait_seconds") = stats.wait_seconds, py::arg("run_seconds") = stats.run_seconds,
      py::arg("latency_seconds") = stats.latency_seconds);
}

}  // namespace

void bind_served_models(py::class_<Engine, std::shared_ptr<Engine>>& engine) {
  engine
      .def("list_models", &Engine::list_models, py::call_guard<InterpreterUnlocked>(),
           R"(Returns the sorted names of the registered models.

Example:
    print(engine.list_models()))")
      .def(
          "model_info", info_dict, py::arg("name"),
          R"(Returns a dict with "name", "backend", "inputs", "outputs", "states", "bytes" and more.

Raises:
    NameError: If there is no model of this name.

Example:
    print(engine.model_info("digits")["inputs"]))")
      .def("stats", stats_dict, py::arg("name"),
           R"(Returns a dict of counts and times since the name was first registered.

Raises:
    NameError: If there is no model of this name.

Example:
    print(engine.stats("digits")))")
      .def_property_readonly(
          "memory",
          [](const Engine& engine) { return call_unlocked([&] { return engine.memory(); }); },
          "Bytes of models and sessions that count for `memory_limit`.");
}

}  // namespace mithril::python
