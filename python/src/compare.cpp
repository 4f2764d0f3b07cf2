// Comparing backends on one model.
#include "mithril/comparison/compare.hpp"

#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/comparison/reduced_test.hpp"

namespace mithril::python {
namespace {

// The fields of mithril.backends.compare.BackendDifference.
py::tuple fields_of(const BackendDifference& found) {
  py::object reduced = py::none();
  if (found.reduced) {
    reduced = py::make_tuple(object_of(found.reduced->model), dict_of(found.reduced->data),
                             found.reduced->nodes);
  }
  return py::make_tuple(found.path, found.op, found.backend, array_of(found.expected),
                        array_of(found.got), py::tuple(py::cast(found.worst)),
                        found.expected_element, found.got_element, found.difference, found.allowed,
                        found.in_whole_graph, reduced);
}

py::tuple compare_backends(const CompiledModel& reference, const py::list& others,
                           const py::dict& params, const py::dict& data,
                           std::optional<double> tolerance, bool gradients, std::uint64_t seed,
                           bool reduce, const py::dict& state,
                           const std::vector<std::string>& names) {
  std::vector<std::shared_ptr<Backend>> backends;
  for (const py::handle backend : others) {
    if (!py::isinstance<Backend>(backend))
      wrong_type(backend, "a backend, such as ml.CpuBackend()");
    backends.push_back(backend.cast<std::shared_ptr<Backend>>());
  }
  const TensorMap p = tensor_map_of(params), d = tensor_map_of(data);
  const State s = state_of(state);
  const BackendComparison found = call_unlocked([&] {
    return compare(reference, backends, p, d,
                   {.tolerance = tolerance,
                    .gradients = gradients,
                    .seed = seed,
                    .reduce = reduce,
                    .state = s,
                    .names = names});
  });
  py::list differences;
  for (const BackendDifference& each : found.differences) differences.append(fields_of(each));
  return py::make_tuple(found.backends, found.nodes, differences, found.text());
}

// The dtype of each data input.
py::dict data_dtypes(const CompiledModel& compiled) {
  const ExportedModel exported = compiled.exported_with_open_sizes();
  py::dict dtypes;
  for (size_t i = 0; i < exported.inputs.size(); ++i) {
    if (exported.inputs[i].role != ExportedInput::Role::data) continue;
    const Value& value = exported.graph.value(exported.graph.inputs()[i]);
    dtypes[py::str(exported.inputs[i].key)] = value.dtype;
  }
  return dtypes;
}

}  // namespace

void bind_compare(py::module_& module) {
  module.def("_compare", compare_backends, py::arg("reference"), py::arg("others"),
             py::arg("params"), py::arg("data"), py::arg("tolerance"), py::arg("gradients"),
             py::arg("seed"), py::arg("reduce"), py::arg("state"), py::arg("names"),
             "Compares backends, for ml.compare.");
  module.def(
      "_reduced_test",
      [](std::string backend, std::string reference, std::string path, std::string op,
         std::size_t nodes, std::string backends, std::string tolerance) {
        return text_of(ReducedTest{.backend = std::move(backend),
                                   .reference = std::move(reference),
                                   .path = std::move(path),
                                   .op = std::move(op),
                                   .nodes = nodes,
                                   .backends = std::move(backends),
                                   .tolerance = std::move(tolerance)});
      },
      py::arg("backend"), py::arg("reference"), py::arg("path"), py::arg("op"), py::arg("nodes"),
      py::arg("backends"), py::arg("tolerance"));
  module.def("_data_dtypes", data_dtypes, py::arg("compiled"),
             "Returns the dtype of each data input.");
}

}  // namespace mithril::python
