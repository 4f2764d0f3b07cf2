// Evaluating compiled models, and compiled models in inference mode.
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

OutputGradients gradients_of(py::handle given) {
  if (py::isinstance<py::bool_>(given) && given.cast<bool>()) return of_cost;
  if (!py::isinstance<py::dict>(given)) wrong_type(given, "a dict of gradients, or True");
  return tensor_map_of(given.cast<py::dict>());
}

// A copy of the handle: a hook that is registered during the call applies to the next evaluation.
py::object evaluate(const CompiledModel& compiled, const py::dict& params, const py::dict& data,
                    py::handle output_gradients, py::handle state, py::handle outputs) {
  const CompiledModel model = compiled;
  const OutputOptions options = outputs_of(outputs);
  const TensorMap p = tensor_map_of(params), d = tensor_map_of(data);
  const bool wants_gradients =
      !output_gradients.is_none() &&
      !(py::isinstance<py::bool_>(output_gradients) && !output_gradients.cast<bool>());
  if (!wants_gradients && state.is_none()) {
    const TensorMap made =
        call_with_inputs({params, data}, [&] { return model.evaluate(p, d, options); });
    return dict_of(made);
  }
  if (!wants_gradients) {
    const State s = state_of(state);
    const auto [made, next] =
        call_with_inputs({params, data}, [&] { return model.evaluate(p, d, s, options); });
    return py::make_tuple(dict_of(made), dict_of(next));
  }
  const OutputGradients g = gradients_of(output_gradients);
  if (state.is_none()) {
    const auto [made, gradients] =
        call_with_inputs({params, data}, [&] { return model.evaluate(p, d, g, options); });
    return py::make_tuple(dict_of(made), dict_of(gradients));
  }
  const State s = state_of(state);
  const auto [made, gradients, next] =
      call_with_inputs({params, data}, [&] { return model.evaluate(p, d, g, s, options); });
  return py::make_tuple(dict_of(made), dict_of(gradients), dict_of(next));
}

}  // namespace

OutputOptions outputs_of(py::handle names) {
  constexpr const char* expected = "the names of outputs, or None";
  OutputOptions options;
  if (names.is_none()) return options;
  if (py::isinstance<py::str>(names)) return {{text_of(names, expected)}};
  if (!py::isinstance<py::iterable>(names)) wrong_type(names, expected);
  for (const py::handle name : names) options.outputs.push_back(text_of(name, expected));
  return options;
}

void bind_inference(py::class_<CompiledModel>& compiled) {
  compiled
      .def("evaluate", evaluate, py::arg("params"), py::arg("data") = py::dict(),
           py::arg("output_gradients") = py::none(), py::arg("state") = py::none(), py::kw_only(),
           py::arg("outputs") = py::none(),
           "outputs; with output_gradients (a dict, or True for a cost) (outputs, gradients); with "
           "state the next state comes last. A model with batch norm or dropout needs a state: "
           "begin "
           "with initial_state_dict. `outputs` names the outputs to make; inputs that only others "
           "need may be left out.")
      .def(
          "infer",
          [](const CompiledModel& compiled, const py::dict& params, const py::dict& data,
             const py::dict& state, py::handle outputs) {
            const CompiledModel model = compiled;
            const OutputOptions options = outputs_of(outputs);
            const TensorMap p = tensor_map_of(params), d = tensor_map_of(data);
            const State s(tensor_map_of(state));
            const TensorMap made =
                call_with_inputs({params, data}, [&] { return model.infer(p, d, s, options); });
            return dict_of(made);
          },
          py::arg("params"), py::arg("data") = py::dict(), py::arg("state") = py::dict(),
          py::kw_only(), py::arg("outputs") = py::none(),
          "The outputs in inference mode: dropout passes everything, batch norm uses the running\n"
          "statistics, and the state does not change. Losses and metrics are outputs only if\n"
          "`outputs` names them; inputs that the outputs do not need may be left out.\n\n"
          "Example:\n"
          "    for epoch in range(epochs):\n"
          "        for batch in batches:\n"
          "            step(params, batch)\n"
          "        scores = compiled.infer(params, validation, step.state, outputs=[\"loss\"])")
      .def(
          "in_inference",
          [](py::handle self, py::handle outputs) {
            return derived(self,
                           self.cast<const CompiledModel&>().in_inference(outputs_of(outputs)));
          },
          py::kw_only(), py::arg("outputs") = py::none(),
          "The compiled model in inference mode, which infer evaluates.")
      .def(
          "for_inference",
          [](py::handle self, const py::dict& params, const py::dict& state, py::handle outputs) {
            return derived(
                self, self.cast<const CompiledModel&>().for_inference(
                          tensor_map_of(params), State(tensor_map_of(state)), outputs_of(outputs)));
          },
          py::arg("params"), py::arg("state") = py::dict(), py::kw_only(),
          py::arg("outputs") = py::none(),
          "A separate model in inference mode that contains the parameters and the state:\n"
          "evaluate({}, data). Its outputs are those that `outputs` names; None: all but losses\n"
          "and metrics.\n\n"
          "Example:\n"
          "    deployed = compiled.for_inference(params, step.state)\n"
          "    outputs = deployed.evaluate({}, {\"image\": image})")
      .def(
          "bind",
          [](py::handle self, const py::dict& params, py::handle outputs) {
            return derived(self, self.cast<const CompiledModel&>().bind(tensor_map_of(params),
                                                                        outputs_of(outputs)));
          },
          py::arg("params"), py::kw_only(), py::arg("outputs") = py::none(),
          "The model in inference mode with these parameters fixed: evaluate({}, data, "
          "state=state).\n"
          "for_inference fixes the state, too.");
}

}  // namespace mithril::python
