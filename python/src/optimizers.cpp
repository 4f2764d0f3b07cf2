// Optimizers, and steps of training as one graph.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "convert.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/finite.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/optim/training_options.hpp"
#include "mithril/training/batches.hpp"
#include "mithril/training/tensorboard.hpp"
#include "mithril/training/training_step.hpp"
#include "updated_parameters.hpp"

namespace mithril::python {
namespace {

OutputGradients incoming(py::handle given) {
  if (given.is_none()) return of_cost;
  if (py::isinstance<py::bool_>(given) && given.cast<bool>()) return of_cost;
  if (!py::isinstance<py::dict>(given)) wrong_type(given, "a dict of gradients, or True");
  return tensor_map_of(given.cast<py::dict>());
}

py::dict train(TrainingStep& step, const py::dict& params, const py::dict& data) {
  UpdatedParameters updated(params, step.compiled().backend()->name() == "torch");
  const TensorMap d = tensor_map_of(data);
  const TensorMap outputs =
      call_with_inputs({params, data}, [&] { return step(updated.tensors, d); });
  updated.copy_back();
  return dict_of(outputs);
}

void step_alone(Optimizer& optimizer, const py::dict& params, const py::dict& gradients) {
  UpdatedParameters updated(params);
  const TensorMap g = tensor_map_of(gradients);
  {
    const InterpreterUnlocked free;
    optimizer.step(updated.tensors, g);
  }
  updated.copy_back();
}

using Rate = Schedule::Rule;
using Average = std::variant<std::monostate, EMA, SWA>;

Schedule schedule_of(const Rate& rate) {
  return std::visit([](const auto& rule) { return Schedule(rule); }, rate);
}

}  // namespace

void bind_optimizers(py::module_& module) {
  module.def("_all_finite",
             [](const py::dict& tensors) { return all_finite(tensor_map_of(tensors)); });
  module.def("_shuffled_rows", [](std::int64_t count, std::uint64_t seed, std::int64_t epoch) {
    const std::vector<std::int64_t> rows = shuffled_rows(count, seed, epoch);
    return py::array_t<std::int64_t>(std::ssize(rows), rows.data());
  });
  py::class_<TensorBoard>(module, "_TensorBoard", "A file of a log for TensorBoard.")
      .def(py::init<std::string>(), py::arg("folder"))
      .def("add", &TensorBoard::add, py::arg("step"), py::arg("numbers"),
           "Appends numbers to the file.");
  py::class_<Optimizer>(module, "Optimizer", "What moves parameters by their gradients.")
      .def("step", step_alone, py::arg("params"), py::arg("gradients"),
           "Updates each parameter that has a gradient, in place.")
      .def_property(
          "lr", &Optimizer::lr, [](Optimizer& o, const Rate& lr) { o.set_lr(schedule_of(lr)); },
          "The learning rate of the next step; it may be set to a number or a schedule.")
      .def_property_readonly(
          "schedule", [](const Optimizer& o) { return o.schedule().rule(); },
          "The schedule of the learning rate, or the rate if it is a number.")
      .def_property_readonly(
          "groups", [](const Optimizer& o) { return o.groups(); },
          "The options of some of the parameters.")
      .def_property_readonly("steps", &Optimizer::steps,
                             "The number of steps taken, which schedules depend on.")
      .def_property_readonly(
          "options",
          [](const Optimizer& o) {
            py::dict options;
            for (const auto& [name, value] : o.options()) options[py::str(name)] = object_of(value);
            return options;
          },
          "The current options, including the learning rate.")
      .def_property_readonly("threads", &Optimizer::threads, "The argument of set_threads.")
      .def("__repr__",
           [](py::handle self) {
             std::string text;
             for (const auto& [name, value] : self.cast<const Optimizer&>().options()) {
               text += (text.empty() ? "" : ", ") + name + "=" + to_string(value);
             }
             const py::object groups = self.attr("groups");
             if (py::len(groups) > 0) text += ", groups=" + py::repr(groups).cast<std::string>();
             return py::str(py::type::of(self).attr("__name__")).cast<std::string>() + "(" + text +
                    ")";
           })
      .def("set_threads", &Optimizer::set_threads, py::arg("threads"),
           "The most threads that `step` uses; 0: one for each processor.")
      .def(
          "state_dict", [](const Optimizer& o) { return dict_of(o.state_dict()); },
          "The options by their names (\"lr\", \"betas\"), the number of steps (\"steps\"), and "
          "the\n"
          "memory of each parameter with the names of PyTorch's slots (\"fc1.weight.exp_avg\")\n"
          "and its own number of steps (\"fc1.weight.step\").")
      .def(
          "load_state_dict",
          [](Optimizer& o, const py::dict& state) { o.load_state_dict(tensor_map_of(state)); },
          py::arg("state"),
          "Restores a state_dict. An option that `state` lacks keeps its value, as all do with\n"
          "the state_dict of version 0.1.0, which has none. A schedule stays, and continues from\n"
          "the restored number of steps.");
  bind_optimizer_classes(module);
  py::class_<TrainingStep>(
      module, "TrainingStep",
      R"(Evaluating a model, its gradients and an optimizer's step as one graph.

`step(params, data)` gives the outputs and moves the parameters where they stand, as `evaluate` and
`optimizer.step` do one after the other, and faster. Gradients come in as `output_gradients` says:
a dict, or True for the cost. The step keeps the state of the model (running statistics, random
keys): `step.state` is what to validate with and to save.

max_norm scales all gradients so that their 2-norm together is at most this, as
torch.nn.utils.clip_grad_norm_ does. max_value limits each of their elements, before that. With
accumulate=n, n calls make one update by the mean of their gradients. average=ml.EMA() or ml.SWA()
keeps averages of the parameters.

Example:
    optimizer = ml.Adam(lr=1e-3)
    step = ml.TrainingStep(compiled, optimizer, output_gradients={"loss": 1.0})
    outputs = step(params, data)
    validated = compiled.infer(params, validation, step.state))")
      .def(py::init([](const CompiledModel& compiled, Optimizer& optimizer,
                       py::handle output_gradients, std::optional<double> max_norm,
                       std::optional<double> max_value, std::int64_t accumulate,
                       const Average& average) {
             return TrainingStep(compiled, optimizer, incoming(output_gradients),
                                 {.max_norm = max_norm,
                                  .max_value = max_value,
                                  .accumulate = accumulate,
                                  .average = average});
           }),
           py::arg("compiled"), py::arg("optimizer"), py::kw_only(),
           py::arg("output_gradients") = true, py::arg("max_norm") = py::none(),
           py::arg("max_value") = py::none(), py::arg("accumulate") = 1,
           py::arg("average") = py::none(), py::keep_alive<1, 3>())
      .def("__call__", train, py::arg("params"), py::arg("data") = py::dict(),
           "One step: the outputs.")
      .def("__repr__",
           [](const TrainingStep& step) {
             const CompiledModel model = step.compiled();
             const auto optimizer =
                 py::repr(py::cast(step.optimizer(), py::return_value_policy::reference))
                     .cast<std::string>();
             return "<TrainingStep of " + optimizer + " for " +
                    std::string(model.backend()->name()) + ": " + join(model.data_keys(), ", ") +
                    " -> " + join(model.output_keys(), ", ") + "; " +
                    std::to_string(model.parameter_keys().size()) + " parameters>";
           })
      .def_property_readonly("compiled", &TrainingStep::model,
                             "The model, which shares everything with the one of the constructor.")
      .def_property_readonly("optimizer", &TrainingStep::optimizer,
                             py::return_value_policy::reference_internal,
                             "The optimizer that the step was made with.")
      .def(
          "averages",
          [](const TrainingStep& step, const py::dict& params) {
            return dict_of(step.averages(tensor_map_of(params)));
          },
          py::arg("params"),
          "The averages of the parameters that `average` asks for, to be evaluated and saved. "
          "Before\n"
          "the first average, and if they are frozen, these are copies of the parameters.")
      .def_property(
          "state", [](const TrainingStep& step) { return dict_of(step.state()); },
          [](TrainingStep& step, const py::dict& state) {
            step.set_state(State(tensor_map_of(state)));
          },
          "The state of the next call: running statistics and random keys. It is at first\n"
          "initial_state_dict; getting and setting it copies.");
}

}  // namespace mithril::python
