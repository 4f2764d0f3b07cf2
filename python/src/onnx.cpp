// ONNX files; python/mithril/onnx_files.py is the interface.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/onnx/op_row.hpp"
#include "mithril/onnx/read_onnx.hpp"

namespace mithril::python {
namespace {

py::tuple read_onnx_file(py::handle path, const py::dict& constants, const py::dict& shapes,
                         py::handle dtype) {
  const std::string file = path_of(path);
  OnnxOptions options{.constants = tensor_map_of(constants), .dtype = dtype_of_object(dtype)};
  for (const auto& [key, shape] : shapes)
    options.shapes.emplace_back(text_of(key, "the name of an input"), shape_of(shape));
  const OnnxModel made = [&] {
    const InterpreterUnlocked free;
    return read_onnx(file, options);
  }();
  return py::make_tuple(object_of(made.model), dict_of(made.parameters), made.renamed);
}

// (domain, op, since, what computes it, limits) of each row, for docs/onnx.md.
std::vector<std::tuple<std::string, std::string, std::int64_t, std::string, std::string>>
onnx_rows() {
  std::vector<std::tuple<std::string, std::string, std::int64_t, std::string, std::string>> made;
  for (const onnx::OpRow& row : onnx::op_rows())
    made.emplace_back(row.domain, row.op, row.since, row.computed_by, row.limits);
  return made;
}

}  // namespace

void bind_onnx(py::module_& module) {
  module.def("_read_onnx", read_onnx_file, py::arg("path"), py::arg("constants"), py::arg("shapes"),
             py::arg("dtype"), "The model, the parameters and the renamed ports of an ONNX file.");
  module.def("_onnx_rows", onnx_rows, "The rows of ops, for docs/onnx.md.");
}

}  // namespace mithril::python
