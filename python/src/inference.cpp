// Compiled models in inference mode.
#include "convert.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril::python {
namespace {

// A model made from another one, with a reference to it for pickling. That of a TrainingStep lacks
// the reference.
py::object derived(py::handle from, CompiledModel made) {
  py::object object = py::cast(std::move(made));
  if (py::hasattr(from, "_source")) object.attr("_source") = from.attr("_source");
  object.attr("_bound") = true;
  return object;
}

}  // namespace

void bind_inference(py::class_<CompiledModel>& compiled) {
  compiled
      .def(
          "infer",
          [](const CompiledModel& compiled, const py::dict& params, const py::dict& data,
             const py::dict& state) {
            const CompiledModel model = compiled;
            const TensorMap p = tensor_map_of(params), d = tensor_map_of(data);
            const State s(tensor_map_of(state));
            const TensorMap outputs =
                call_with_inputs({params, data}, [&] { return model.infer(p, d, s); });
            return dict_of(outputs);
          },
          py::arg("params"), py::arg("data") = py::dict(), py::arg("state") = py::dict(),
          "The outputs in inference mode: dropout passes everything, batch norm uses the running\n"
          "statistics, and the state does not change.\n\n"
          "Example:\n"
          "    for epoch in range(epochs):\n"
          "        for batch in batches:\n"
          "            step(params, batch)\n"
          "        scores = compiled.infer(params, validation, step.state)")
      .def(
          "in_inference",
          [](py::handle self) {
            return derived(self, self.cast<const CompiledModel&>().in_inference());
          },
          "The compiled model in inference mode, which infer evaluates.")
      .def(
          "for_inference",
          [](py::handle self, const py::dict& params, const py::dict& state) {
            return derived(self, self.cast<const CompiledModel&>().for_inference(
                                     tensor_map_of(params), State(tensor_map_of(state))));
          },
          py::arg("params"), py::arg("state") = py::dict(),
          "A separate model in inference mode that contains the parameters and the state:\n"
          "evaluate({}, data).\n\n"
          "Example:\n"
          "    deployed = compiled.for_inference(params, step.state)\n"
          "    outputs = deployed.evaluate({}, {\"image\": image})")
      .def(
          "bind",
          [](py::handle self, const py::dict& params) {
            return derived(self, self.cast<const CompiledModel&>().bind(tensor_map_of(params)));
          },
          py::arg("params"),
          "The model in inference mode with these parameters fixed: evaluate({}, data, "
          "state=state).\n"
          "for_inference fixes the state, too.");
}

}  // namespace mithril::python
