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

// A name, several, or None.
std::vector<std::string> names_in(py::handle given, const char* expected) {
  if (given.is_none()) return {};
  if (py::isinstance<py::str>(given)) return {text_of(given, expected)};
  if (!py::isinstance<py::iterable>(given)) wrong_type(given, expected);
  std::vector<std::string> names;
  for (const py::handle name : given) names.push_back(text_of(name, expected));
  return names;
}

OutputGradients gradients_of(py::handle given) {
  if (py::isinstance<py::bool_>(given) && given.cast<bool>()) return of_cost;
  if (!py::isinstance<py::dict>(given)) wrong_type(given, "a dict of gradients, or True");
  return tensor_map_of(given.cast<py::dict>());
}

// A copy of the handle: a hook that is registered during the call applies to the next evaluation.
py::object evaluate(const CompiledModel& compiled, const py::dict& params, const py::dict& data,
                    py::handle output_gradients, py::handle state, py::handle outputs,
                    py::handle gradient_keys) {
  const CompiledModel model = compiled;
  const OutputOptions options = outputs_of(outputs);
  const std::vector<std::string> keys = names_in(gradient_keys, "the keys of inputs, or None");
  const TensorMap p = tensor_map_of(params), d = tensor_map_of(data);
  const bool wants_gradients =
      !output_gradients.is_none() &&
      !(py::isinstance<py::bool_>(output_gradients) && !output_gradients.cast<bool>());
  if (!wants_gradients && !keys.empty()) {
    raise({.kind = ErrorKind::input,
           .code = "E0808",
           .message = "gradient_keys needs output_gradients",
           .help = "output_gradients=True differentiates the cost; a dict has the gradients that "
                   "come in at the outputs"});
  }
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
  const GradientOptions wanted = {options.outputs, keys};
  if (state.is_none()) {
    const auto [made, gradients] =
        call_with_inputs({params, data}, [&] { return model.evaluate(p, d, g, wanted); });
    return py::make_tuple(dict_of(made), dict_of(gradients));
  }
  const State s = state_of(state);
  const auto [made, gradients, next] =
      call_with_inputs({params, data}, [&] { return model.evaluate(p, d, g, s, wanted); });
  return py::make_tuple(dict_of(made), dict_of(gradients), dict_of(next));
}

}  // namespace

OutputOptions outputs_of(py::handle names) {
  return {names_in(names, "the names of outputs, or None")};
}

void bind_inference(py::class_<CompiledModel>& compiled) {
  compiled
      .def(
          "evaluate", evaluate, py::arg("params"), py::arg("data") = py::dict(),
          py::arg("output_gradients") = py::none(), py::arg("state") = py::none(), py::kw_only(),
          py::arg("outputs") = py::none(), py::arg("gradient_keys") = py::none(),
          "outputs; with output_gradients (a dict, or True for a cost) (outputs, gradients); with\n"
          "state the next state comes last. A model with batch norm or dropout needs a state:\n"
          "begin with initial_state_dict. `outputs` names the outputs to make; inputs that only\n"
          "others need may be left out. `gradient_keys` names the parameters and data whose\n"
          "gradients to compute; None: all parameters.\n\n"
          "Example: the gradient of the loss with respect to the image.\n"
          "    _, gradients = compiled.evaluate(\n"
          "        params, data, output_gradients=True, gradient_keys=[\"image\"]\n"
          "    )")
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
