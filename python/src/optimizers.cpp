// Optimizers, and steps of training as one graph.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
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
  const TensorMap outputs = call_unlocked([&] { return step(updated.tensors, d); });
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
  py::class_<TensorBoard>(module, "_TensorBoard", "A log file for TensorBoard.")
      .def(py::init<std::string>(), py::arg("folder"))
      .def("add", &TensorBoard::add, py::arg("step"), py::arg("numbers"),
           "Appends numbers to the log file.");
  py::class_<Optimizer>(module, "Optimizer", R"(The base class of all optimizers.

An optimizer updates parameters by their gradients, and keeps its own state for each parameter.
Use a subclass, such as `ml.Adam`.

Example:
    optimizer = ml.AdamW(ml.CosineSchedule(1e-3, steps=1000, warmup=100))
    _, gradients = compiled.evaluate(params, data, output_gradients=True)
    optimizer.step(params, gradients)

See docs/optimizers.md.)")
      .def("step", step_alone, py::arg("params"), py::arg("gradients"),
           R"(Updates each parameter that has a gradient, in place.

Parameters without a gradient and frozen parameters keep their values. After an error all
parameters keep their values.

Args:
    params: dict of parameters.
    gradients: dict of gradients with the same keys, shapes and dtypes, as `evaluate` returns them.

Raises:
    NameError: If a gradient belongs to no parameter, or a group matches no parameter.
    ShapeError: If a gradient and its parameter have different shapes.
    TypeError: If their dtypes differ or are not floating-point.
    StateError: If the optimizer holds sums of gradients or averages of a training step.

Example:
    _, gradients = compiled.evaluate(params, data, output_gradients=True)
    optimizer.step(params, gradients))")
      .def_property(
          "lr", &Optimizer::lr, [](Optimizer& o, const Rate& lr) { o.set_lr(schedule_of(lr)); },
          "The learning rate of the next step. Assign a number or a schedule to change it.")
      .def_property_readonly(
          "schedule", [](const Optimizer& o) { return o.schedule().rule(); },
          "The schedule of the learning rate, or a float if the rate is constant.")
      .def_property_readonly(
          "groups", [](const Optimizer& o) { return o.groups(); },
          "List of `ParameterGroup`, with other options for some of the parameters.")
      .def_property_readonly("steps", &Optimizer::steps,
                             "Number of updates so far, on which schedules depend.")
      .def_property_readonly(
          "options",
          [](const Optimizer& o) {
            py::dict options;
            for (const auto& [name, value] : o.options()) options[py::str(name)] = object_of(value);
            return options;
          },
          "Dict of the current options, including the learning rate.")
      .def_property_readonly("threads", &Optimizer::threads,
                             "The maximum number of threads, as set by `set_threads`.")
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
           R"(Sets the maximum number of threads that `step` uses.

Args:
    threads: 0 uses one thread for each processor. Results do not depend on this number.

Raises:
    ValueError: If it is negative.

Example:
    optimizer.set_threads(1))")
      .def(
          "state_dict", [](const Optimizer& o) { return dict_of(o.state_dict()); },
          R"(Returns a copy of the options and of the state of each parameter.

Returns:
    Dict of arrays with the options ("lr", "betas"), the number of updates ("steps"), and for each
    parameter its number of updates ("fc1.weight.step") and its state under the names of PyTorch
    ("fc1.weight.exp_avg"). A `TrainingStep` adds its accumulated gradients and averages.

Example:
    state = optimizer.state_dict()
    print(state["lr"], state["steps"]))")
      .def(
          "load_state_dict",
          [](Optimizer& o, const py::dict& state) { o.load_state_dict(tensor_map_of(state)); },
          py::arg("state"),
          R"(Restores the state that `state_dict` returned.

An option that `state` lacks keeps its value. A schedule is not part of the state: the optimizer
keeps its schedule, which continues from the restored number of steps.

Args:
    state: dict of arrays.

Raises:
    StateError: If an entry is unknown or missing, or an option has another shape.

Example:
    state = optimizer.state_dict()
    other = ml.Adam()
    other.load_state_dict(state))");
  bind_optimizer_classes(module);
  py::class_<TrainingStep>(
      module, "TrainingStep",
      R"(Trains a compiled model: computes outputs, gradients and the update of an optimizer.

`step(params, data)` updates the parameters in place and returns the outputs. One graph computes
everything, so this is faster than `evaluate` followed by `optimizer.step`. The step also keeps the
state of the model (running statistics and random keys) between calls; see `step.state`.

Args:
    compiled: the model, compiled for training.
    optimizer: the optimizer. It keeps its state between calls.
    output_gradients: dict of the gradients of outputs, or True for the gradients of the cost.
    max_norm: maximum 2-norm of all gradients together. Larger gradients are scaled down, as by
        torch.nn.utils.clip_grad_norm_. None does not clip.
    max_value: maximum absolute value of each element of the gradients, applied before `max_norm`.
        None does not clip.
    accumulate: number of calls for one update, which uses the mean of their gradients.
    average: `ml.EMA()` or `ml.SWA()` keeps averages of the parameters. None keeps none.

Raises:
    InputError: If an output is unknown, or there is no cost.
    GradientError: If the model was compiled for inference.
    NameError: If a group of the optimizer matches no parameter.

Example:
    optimizer = ml.Adam(lr=1e-3)
    step = ml.TrainingStep(compiled, optimizer, max_norm=1.0)
    for _ in range(10):
        outputs = step(params, data)
    predictions = compiled.infer(params, {"x": data["x"]}, step.state)["y"]

See docs/semantics.md.)")
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
           R"(Updates the parameters in place and returns the outputs from before the update.

With `accumulate=n` every n-th call updates the parameters. After an error the parameters keep
their values, unless the error says that they have been written to.

Args:
    params: dict of parameters. Their elements are overwritten.
    data: dict of the data inputs.

Returns:
    Dict of all outputs of the model.

Raises:
    InputError: If a key is missing or unknown, an array does not fit, parameters are read-only, or
        two parameters share elements.
    StateError: If the state of the optimizer does not fit the parameters, or has sums of gradients
        or averages that the step would leave out.

Example:
    outputs = step(params, data)
    loss = float(outputs["loss"]))")
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
      .def_property_readonly("compiled", &TrainingStep::model, "The compiled model of the step.")
      .def_property_readonly("optimizer", &TrainingStep::optimizer,
                             py::return_value_policy::reference_internal,
                             "The optimizer of the step.")
      .def(
          "averages",
          [](const TrainingStep& step, const py::dict& params) {
            return dict_of(step.averages(tensor_map_of(params)));
          },
          py::arg("params"),
          R"(Returns the averages of the parameters, for evaluation and checkpoints.

Frozen parameters, and all parameters before the first average, are returned as copies.

Args:
    params: dict of the current parameters.

Returns:
    Dict of the averages, with the keys and dtypes of `params`.

Raises:
    StateError: If the step was made without `average`.

Example:
    step = ml.TrainingStep(compiled, optimizer, average=ml.EMA(0.99))
    step(params, data)
    averages = step.averages(params))")
      .def("gather_optimizer", &TrainingStep::gather_optimizer,
           R"(Gathers the sharded state of the optimizer on every process.

With `optimizer_state="sharded"` each process of a group holds a block of it, and
`optimizer.state_dict` raises an error until all processes have called this. The next call of the
step shards the state again. A state that is not sharded stays as it is.

Example:
    step.gather_optimizer()
    ml.save("last.safetensors", params, optimizer=optimizer, step=step))")
      .def_property(
          "state", [](const TrainingStep& step) { return dict_of(step.state()); },
          [](TrainingStep& step, const py::dict& state) {
            step.set_state(State(tensor_map_of(state)));
          },
          R"(The state of the model for the next call: running statistics and random keys.

It begins as `compiled.initial_state_dict`. Reading and assigning it copies the arrays.

Raises:
    StateError: If an assigned state has other keys, shapes or dtypes than the model.)");
}

}  // namespace mithril::python
