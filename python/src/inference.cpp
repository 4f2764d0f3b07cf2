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
    const TensorMap made = call_unlocked([&] { return model.evaluate(p, d, options); });
    return dict_of(made);
  }
  if (!wants_gradients) {
    const State s = state_of(state);
    const auto [made, next] = call_unlocked([&] { return model.evaluate(p, d, s, options); });
    return py::make_tuple(dict_of(made), dict_of(next));
  }
  const OutputGradients g = gradients_of(output_gradients);
  const GradientOptions wanted = {options.outputs, keys};
  if (state.is_none()) {
    const auto [made, gradients] = call_unlocked([&] { return model.evaluate(p, d, g, wanted); });
    return py::make_tuple(dict_of(made), dict_of(gradients));
  }
  const State s = state_of(state);
  const auto [made, gradients, next] =
      call_unlocked([&] { return model.evaluate(p, d, g, s, wanted); });
  return py::make_tuple(dict_of(made), dict_of(gradients), dict_of(next));
}

// None as the state: it stays an argument of evaluate.
py::object bind_parameters(py::handle self, const py::dict& params, py::handle state,
                           py::handle outputs) {
  const auto& compiled = self.cast<const CompiledModel&>();
  const OutputOptions options = outputs_of(outputs);
  TensorMap taken = tensor_map_of(params);
  if (state.is_none()) return derived(self, compiled.bind(std::move(taken), options));
  return derived(self, compiled.bind(std::move(taken), state_of(state), options));
}

}  // namespace

OutputOptions outputs_of(py::handle names) {
  return {names_in(names, "the names of outputs, or None")};
}

void bind_inference(py::class_<CompiledModel>& compiled) {
  compiled
      .def_property_readonly("_changes_state", &CompiledModel::changes_state,
                             "Whether evaluate returns another state than it takes.")
      .def("evaluate", evaluate, py::arg("params"), py::arg("data") = py::dict(),
           py::arg("output_gradients") = py::none(), py::arg("state") = py::none(), py::kw_only(),
           py::arg("outputs") = py::none(), py::arg("gradient_keys") = py::none(),
           R"(Evaluates the model and returns its outputs.

Inputs are checked against the compiled shapes and types. Within a kind the width is converted:
a float32 model takes float64 data. A model with batch norm or dropout needs a state.

Args:
    params: {key: array} of all parameters.
    data: {key: array} of all data.
    output_gradients: {output: gradient} of some outputs; an output without a gradient counts as
        zero. True stands for a gradient of 1 of `final_cost`, or of the only output, if it is a
        scalar. None computes no gradients.
    state: the state, as `initial_state_dict` or as the last call returned it.
    outputs: the names of the outputs to compute. Inputs that only others need may be left out.
    gradient_keys: the parameters and data whose gradients to compute. None: all parameters.

Returns:
    A dict of outputs. With `output_gradients` a tuple (outputs, gradients), where gradients has
    the keys of `params` or of `gradient_keys`. With `state` the next state is the last item.

Raises:
    InputError: If a key is missing or unknown, or an array has another rank, size or kind.
    GradientError: If the model was compiled for inference.
    StateError: If the model needs a state.

Example:
    outputs = compiled.evaluate(params, data)
    outputs, gradients = compiled.evaluate(params, data, output_gradients=True)
    outputs, of_data = compiled.evaluate(
        params, data, output_gradients=True, gradient_keys=["x"]
    )

See docs/semantics.md.)")
      .def(
          "infer",
          [](const CompiledModel& compiled, const py::dict& params, const py::dict& data,
             const py::dict& state, py::handle outputs) {
            const CompiledModel model = compiled;
            const OutputOptions options = outputs_of(outputs);
            const TensorMap p = tensor_map_of(params), d = tensor_map_of(data);
            const State s(tensor_map_of(state));
            const TensorMap made = call_unlocked([&] { return model.infer(p, d, s, options); });
            return dict_of(made);
          },
          py::arg("params"), py::arg("data") = py::dict(), py::arg("state") = py::dict(),
          py::kw_only(), py::arg("outputs") = py::none(),
          R"(Evaluates the model in inference mode and returns its outputs.

Dropout passes everything, batch norm uses the running statistics, and the state does not change.
Losses and metrics are left out unless `outputs` names them. The first call compiles the inference
form of the model.

Args:
    params: {key: array} of the parameters.
    data: {key: array}. Inputs that the outputs do not need may be left out.
    state: the state, such as `step.state` of a TrainingStep.
    outputs: the names of the outputs to compute. None: all except losses and metrics.

Raises:
    InputError: If a key is missing or unknown, or an array has another rank, size or kind.
    StateError: If the state of the model changes in inference mode, too.

Example:
    for epoch in range(3):
        step(params, data)
        scores = compiled.infer(params, data, step.state, outputs=["loss"])
    predictions = compiled.infer(params, {"x": data["x"]}, step.state)["y"])")
      .def(
          "in_inference",
          [](py::handle self, py::handle outputs) {
            return derived(self,
                           self.cast<const CompiledModel&>().in_inference(outputs_of(outputs)));
          },
          py::kw_only(), py::arg("outputs") = py::none(),
          R"(Returns the compiled model in inference mode, which `infer` evaluates.

Example:
    outputs = compiled.in_inference().evaluate(params, {"x": data["x"]}))")
      .def("bind", bind_parameters, py::arg("params"), py::arg("state") = py::none(), py::kw_only(),
           py::arg("outputs") = py::none(),
           R"(Returns a compiled model in inference mode that contains the parameters and the state.

The returned model has no parameters and no gradients. It has copies of the elements; those of a
package stay in its file. Values that depend only on parameters and state are computed once.

Args:
    params: {key: array} of the parameters.
    state: the state, such as `step.state` of a TrainingStep. None: it stays an argument of
        `evaluate`.
    outputs: the names of the outputs to compute. None: all except losses and metrics.

Raises:
    StateError: If the parameters or the state do not fit the model.

Example:
    deployed = compiled.bind(params, step.state)
    predictions = deployed.evaluate({}, {"x": data["x"]})["y"])")
      .def("for_inference", bind_parameters, py::arg("params"), py::arg("state") = py::dict(),
           py::kw_only(), py::arg("outputs") = py::none(),
           "The old name of `bind`, until 0.2. Without `state` the model must need none.");
}

}  // namespace mithril::python
