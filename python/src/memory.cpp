// The memory statistics of a backend.
#include "mithril/backend/memory.hpp"

#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/backend/backend.hpp"
#include "mithril/base/error.hpp"

namespace mithril::python {
namespace {

py::dict stats_of(Backend& backend) {
  const MemoryStats stats = memory_of(backend).stats();
  py::dict dict;
  dict["allocated"] = stats.allocated;
  dict["cached"] = stats.cached;
  dict["peak"] = stats.peak;
  dict["limit"] = stats.limit ? py::object(py::int_(*stats.limit)) : py::none();
  return dict;
}

MemoryHookHandle add_hook(Backend& backend, const py::function& hook) {
  return memory_of(backend).add_hook(
      [hook = shared_function(hook)](const std::string& device, int64_t taken, int64_t given) {
        const InterpreterLocked lock;
        (*hook)(device, taken, given);
      });
}

// The array that fn(*args, **kwargs) makes, counted.
py::object counted(Backend& backend, const py::object& fn, const py::args& args,
                   const py::kwargs& kwargs) {
  py::object made;
  const auto make = [&]() -> std::vector<Tensor> {
    made = fn(*args, **kwargs);
    try {
      return {tensor_of(made)};
    } catch (const TypeError&) {
      return {};  // the dtype is not one of Mithril's, and `fn` may return it
    }
  };
  if (BackendMemory* memory = backend.memory()) memory->count(make);
  if (!backend.memory()) make();
  return made;
}

}  // namespace

void bind_memory(py::module_& module, py::class_<Backend, std::shared_ptr<Backend>>& backend) {
  module.def(
      "host_memory",
      [](const std::string& cgroup) {
        const HostMemory memory = host_memory(cgroup);
        return py::make_tuple(memory.total, memory.free);
      },
      py::arg("cgroup"),
      "Returns the total and the free bytes of this machine, or of the container.");
  py::class_<MemoryHookHandle>(module, "MemoryHookHandle", "A hook on the memory of a backend.")
      .def("remove", &MemoryHookHandle::remove, "Removes the hook.");
  backend
      .def("get_memory_stats", stats_of,
           R"(Returns {"allocated", "cached", "peak", "limit"} in bytes. The limit may be None.

Raises:
    BackendError: If the backend does not count its memory, such as a CpuBackend.

Example:
    backend = ml.TorchBackend(memory_limit="1GB")
    array = backend.zeros(1000)
    assert backend.get_memory_stats()["allocated"] >= 4000)")
      .def("register_memory_hook", add_hook, py::arg("fn"),
           R"(Registers a function that is called when the backend takes or returns memory.

The calls come at the end of the evaluation, and it raises what `fn` raises.

Args:
    fn: a function fn(device, alloc_size, free_size) of a name and two numbers of bytes.

Returns:
    A handle whose method `remove()` removes the hook.

Raises:
    BackendError: If the backend does not count its memory, such as a CpuBackend.

Example:
    backend = ml.TorchBackend()
    sizes = []
    handle = backend.register_memory_hook(lambda device, taken, freed: sizes.append(taken))
    compiled = ml.compile(model, backend, shapes={"x": [None, 4]})
    outputs = compiled.evaluate(compiled.get_parameters(), {"x": backend.randn(8, 4)})
    handle.remove())")
      .def(
          "clear_cache", [](Backend& b) { memory_of(b).clear_cache(); },
          py::call_guard<InterpreterUnlocked>(), R"(Returns cached memory to the system.

Raises:
    BackendError: If the backend does not count its memory, such as a CpuBackend.

Example:
    ml.TorchBackend().clear_cache())")
      .def("_counted", counted, py::arg("fn"),
           "Calls fn(*args, **kwargs) and counts the result as memory of the backend.");
}

}  // namespace mithril::python
