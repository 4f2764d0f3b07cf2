#include "compile_arguments.hpp"

#include "mithril/distributed/communicator.hpp"

namespace mithril::python {

Backends backends_argument(py::handle given) {
  return argument("compile", "backends", [&] {
    if (!py::isinstance<py::dict>(given)) wrong_type(given, "a dict of paths and backends");
    Backends backends;
    for (const auto& [path, backend] : given.cast<py::dict>()) {
      if (!py::isinstance<Backend>(backend))
        wrong_type(backend, "a backend, such as ml.CpuBackend()");
      backends[text_of(path, "the path of a part, or \"\"")] =
          backend.cast<std::shared_ptr<Backend>>();
    }
    return backends;
  });
}

std::shared_ptr<Communicator> group_argument(py::handle group) {
  if (group.is_none()) return nullptr;
  return argument("compile", "group", [&] {
    const py::object type = py::module_::import("mithril.distributed").attr("Group");
    if (!py::isinstance(group, type)) wrong_type(group, "a group that ml.distributed.init() made");
    return group.attr("_communicator").cast<std::shared_ptr<Communicator>>();
  });
}

std::vector<std::pair<std::string, Sharded>> placements_argument(py::handle given) {
  return argument("compile", "placements", [&] {
    std::vector<std::pair<std::string, Sharded>> placements;
    if (given.is_none()) return placements;
    if (!py::isinstance<py::dict>(given)) wrong_type(given, "a dict of patterns and ml.Sharded");
    for (const auto& [pattern, placement] : given.cast<py::dict>()) {
      if (!py::isinstance<Sharded>(placement))
        wrong_type(placement, "a placement, such as ml.Sharded(0)");
      placements.emplace_back(text_of(pattern, "a pattern of keys"), placement.cast<Sharded>());
    }
    return placements;
  });
}

std::vector<std::pair<std::string, int>> mesh_argument(py::handle given) {
  return argument("compile", "mesh", [&] {
    std::vector<std::pair<std::string, int>> mesh;
    if (given.is_none()) return mesh;
    if (!py::isinstance<py::dict>(given)) wrong_type(given, "a dict of axes and sizes");
    for (const auto& [axis, size] : given.cast<py::dict>()) {
      if (!is_int(size)) wrong_type(size, "a number of processes");
      mesh.emplace_back(text_of(axis, "an axis, \"data\" or \"model\""), size.cast<int>());
    }
    return mesh;
  });
}

void bind_placements(py::module_& module) {
  py::class_<Sharded>(module, "Sharded",
                      R"(A placement of a parameter: each process holds a block of it.

The processes along the axis "model" of the mesh hold equal blocks along an axis of the parameter,
in the order of their ranks.

Args:
    axis: the axis of the parameter. A negative one counts from the last axis.

Example:
    placements = {"*weight": ml.Sharded(0)}
    group = ml.distributed.init()
    compiled = ml.compile(model, ml.CpuBackend(), group=group, placements=placements)

See docs/distributed.md.)")
      .def(py::init([](int axis) { return Sharded{axis}; }), py::arg("axis") = 0)
      .def_readonly("axis", &Sharded::axis, "The axis of the parameter.")
      .def("__repr__", [](const Sharded& s) { return "Sharded(" + std::to_string(s.axis) + ")"; });
}

}  // namespace mithril::python
