// ONNX files; python/mithril/onnx/__init__.py is the interface.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/onnx/export/write_onnx.hpp"
#include "mithril/onnx/op_row.hpp"
#include "mithril/onnx/read_onnx.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril::python {
namespace {

// Other bytes than UTF-8 become U+FFFD.
py::dict metadata_of(const OnnxModel& read) {
  const auto decoded = [](const std::string& bytes) {
    return py::bytes(bytes).attr("decode")("utf-8", "replace");
  };
  py::dict made;
  for (const auto& [key, value] : read.metadata) made[decoded(key)] = decoded(value);
  return made;
}

py::tuple read_onnx_file(py::handle path, const py::dict& constants, const py::dict& shapes,
                         const py::dict& lengths, py::handle dtype) {
  const std::string file = path_of(path);
  OnnxOptions options{.constants = tensor_map_of(constants), .dtype = dtype_of_object(dtype)};
  for (const auto& [key, shape] : shapes)
    options.shapes.emplace_back(text_of(key, "the name of an input"), shape_of(shape));
  for (const auto& [key, length] : lengths)
    options.lengths[text_of(key, "the name of an input")] =
        length.is_none() ? std::nullopt : std::optional(length.cast<std::int64_t>());
  const OnnxModel made = [&] {
    const InterpreterUnlocked free;
    return read_onnx(file, options);
  }();
  return py::make_tuple(object_of(made.model), dict_of(made.parameters), made.renamed,
                        metadata_of(made), made.lengths, made.counts);
}

OnnxWriteOptions write_options(const py::dict& params, const py::dict& state, std::int64_t opset,
                               bool external_data, bool gradients, bool functions,
                               bool all_values) {
  return {.params = tensor_map_of(params),
          .state = State(tensor_map_of(state)),
          .opset = opset,
          .external_data = external_data,
          .gradients = gradients,
          .functions = functions,
          .all_values = all_values};
}

void write_onnx_file(const CompiledModel& compiled, py::handle path, const py::dict& params,
                     const py::dict& state, std::int64_t opset, bool external_data, bool gradients,
                     bool functions, bool all_values) {
  const std::string file = path_of(path);
  const OnnxWriteOptions options =
      write_options(params, state, opset, external_data, gradients, functions, all_values);
  const InterpreterUnlocked free;
  write_onnx(compiled, file, options);
}

py::dict write_onnx_step(const TrainingStep& step, py::handle path, const py::dict& params,
                         std::int64_t opset, bool external_data, bool functions, bool all_values) {
  const std::string file = path_of(path);
  const OnnxWriteOptions options =
      write_options(params, {}, opset, external_data, false, functions, all_values);
  return dict_of(call_unlocked([&] { return write_onnx(step, file, options); }));
}

template <typename Source>
py::dict reference_of(const Source& source, const py::dict& data, const OnnxWriteOptions& options,
                      const py::dict& values) {
  const TensorMap inputs = tensor_map_of(data), given = tensor_map_of(values);
  return dict_of(call_unlocked([&] { return onnx_reference(source, inputs, options, given); }));
}

py::dict onnx_reference_values(const CompiledModel& compiled, const py::dict& data,
                               const py::dict& params, const py::dict& state, bool gradients,
                               const py::dict& values) {
  return reference_of(compiled, data,
                      write_options(params, state, 20, false, gradients, false, true), values);
}

py::dict onnx_step_values(const TrainingStep& step, const py::dict& data, const py::dict& params,
                          const py::dict& values) {
  return reference_of(step, data, write_options(params, {}, 20, false, false, false, true), values);
}

// (domain, op, since, what computes it, limits) of each row, for docs/onnx.md.
std::vector<std::tuple<std::string, std::string, std::int64_t, std::string, std::string>>
onnx_rows() {
  std::vector<std::tuple<std::string, std::string, std::int64_t, std::string, std::string>> made;
  for (const onnx::OpRow& row : onnx::op_rows())
    made.emplace_back(row.domain, row.op, row.since, row.computed_by, row.limits);
  return made;
}

// (op, what it becomes in ONNX) of each op that is exported, for docs/onnx.md.
std::vector<std::pair<std::string, std::string>> onnx_spellings() {
  std::vector<std::pair<std::string, std::string>> made;
  for (const OpDef* op : all_ops()) {
    const Spelling* spelling = op->spelling("onnx");
    if (spelling) made.emplace_back(op->model_name, spelling->text);
  }
  return made;
}

}  // namespace

void bind_onnx(py::module_& module) {
  module.def("_read_onnx", read_onnx_file, py::arg("path"), py::arg("constants"), py::arg("shapes"),
             py::arg("lengths"), py::arg("dtype"),
             "The model, parameters, renamed ports, metadata, lengths and counts of an ONNX file.");
  module.def("_write_onnx", write_onnx_file, py::arg("compiled"), py::arg("path"),
             py::arg("params"), py::arg("state"), py::arg("opset"), py::arg("external_data"),
             py::arg("gradients"), py::arg("functions"), py::arg("all_values"),
             "Writes a compiled model as an ONNX file.");
  module.def("_onnx_reference", onnx_reference_values, py::arg("compiled"), py::arg("data"),
             py::arg("params"), py::arg("state"), py::arg("gradients"), py::arg("values"),
             "Every value of such a file, in its order, of nodes that read the given values.");
  module.def("_write_onnx_step", write_onnx_step, py::arg("step"), py::arg("path"),
             py::arg("params"), py::arg("opset"), py::arg("external_data"), py::arg("functions"),
             py::arg("all_values"),
             "Writes a step of training as an ONNX file; returns the values of its inputs.");
  module.def("_onnx_step_reference", onnx_step_values, py::arg("step"), py::arg("data"),
             py::arg("params"), py::arg("values"),
             "Every value of such a file, in its order, of nodes that read the given values.");
  module.def("_onnx_gradient_inputs", onnx_gradient_inputs, py::arg("compiled"),
             "The incoming gradients that such a file with gradients has as inputs.");
  module.def("_onnx_spellings", onnx_spellings, "What ops become in ONNX, for docs/onnx.md.");
  module.def("_onnx_rows", onnx_rows, "The rows of ops, for docs/onnx.md.");
}

}  // namespace mithril::python
