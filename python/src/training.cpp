// Training models.
#include "mithril/train_model/train_model.hpp"

#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/base/error.hpp"

namespace mithril::python {
namespace {

using Name = std::optional<std::string>;

double number_of(py::handle object) {
  if (py::isinstance<py::float_>(object)) return object.cast<double>();
  if (py::isinstance<py::int_>(object)) return datum_of(object).real();  // of at most 64 bits
  if (!py::isinstance<Tensor>(object) && !has_dlpack(object))
    wrong_type(object, "a number for coef");
  return tensor_of(object).item();
}

const Model& model_of(py::handle object, const char* expected) {
  if (!py::isinstance<Model>(object)) wrong_type(object, expected);
  return object.cast<const Model&>();
}

std::vector<Model> steps_of(py::handle object) {
  constexpr const char* expected = "a list of models for reduce_steps, such as [ml.Mean()]";
  std::vector<Model> steps;
  if (object.is_none()) return steps;
  if (!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object))
    wrong_type(object, expected);
  for (const py::handle step : object) steps.push_back(model_of(step, expected));
  return steps;
}

bool is_pattern(py::handle object) {
  return py::isinstance(object, py::module_::import("re").attr("Pattern"));
}

KeyPattern pattern_of(py::handle pattern) {
  const int unicode = py::module_::import("re").attr("UNICODE").cast<int>();
  if (!py::isinstance<py::str>(pattern.attr("pattern")) ||
      pattern.attr("flags").cast<int>() != unicode)
    wrong_type(pattern, "a regular expression of text, without flags");
  return {text_of(pattern.attr("pattern"))};
}

void add_regularization(TrainModel& train, py::handle regulariser, py::handle coef,
                        const Name& reg_key, const Name& key_name, const py::kwargs& ports) {
  const Model& model = model_of(regulariser, "a model that regularises, such as ml.L2()");
  RegularizationOptions options{.reg_key = reg_key.value_or(""), .key_name = key_name.value_or("")};
  for (const auto& [port, value] : ports) {
    if (!is_pattern(value)) continue;
    if (ports.size() > 1)
      wrong_type(ports, "a regular expression for the only port of the regulariser");
    options.reg_key = text_of(port);
    train.add_regularization(model, number_of(coef), pattern_of(value), options);
    return;
  }
  train.add_regularization(model, number_of(coef), bindings_of(ports), options);
}

}  // namespace

void bind_training(py::module_& module) {
  py::class_<TrainModel, Model>(module, "TrainModel", py::dynamic_attr(),
                                R"(A model with losses, regularization and metrics.

It has the keys of the model that it trains, and one more output: the scalar `final_cost`. A
training model takes further losses, regularizers and metrics, but no other parts.

Args:
    model: the model to train.

Example:
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="target")
    train.add_regularization(ml.L2(), 1e-3, input="weight")
    compiled = ml.compile(train, ml.CpuBackend(), shapes={"x": [None, 4], "target": [None, 2]})
    outputs, gradients = compiled.evaluate(params, data, output_gradients=True)

See docs/semantics.md.)")
      .def(py::init<const Model&>(), py::arg("model"))
      .def(
          "add_loss",
          [](TrainModel& train, py::handle loss, py::handle reduce_steps, const Name& key_name,
             py::handle coef, py::handle sample_weight, const py::kwargs& ports) {
            LossOptions options{.reduce_steps = steps_of(reduce_steps),
                                .key_name = key_name.value_or("")};
            if (!coef.is_none()) options.coef = number_of(coef);
            if (!sample_weight.is_none()) options.sample_weight = binding_of(sample_weight);
            train.add_loss(model_of(loss, "a model for the loss, such as ml.SquaredError()"),
                           bindings_of(ports), options);
          },
          py::arg("loss"), py::arg("reduce_steps") = py::none(), py::arg("key_name") = py::none(),
          py::arg("coef") = py::none(), py::arg("sample_weight") = py::none(),
          R"(Adds a loss on an output of the model.

At least one port of the loss must be bound to an output. A name that is not a key of the model
adds a data input, such as `target`.

Args:
    loss: a model such as `ml.SquaredError()`.
    reduce_steps: list of models that reduce the loss, applied in order. None uses `[ml.Mean()]`.
    key_name: name of an output with the reduced loss. None adds no output.
    coef: factor of the loss in the cost.
    sample_weight: key of weights [N] that multiply the losses of the samples before they are
        reduced. None does not weight them.
    ports: a key, a connection or a value for each port of the loss.

Raises:
    ConnectionError: If a port is not bound, or no port is bound to an output.

Example:
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="target", key_name="loss", coef=0.5))")
      .def("add_regularization", add_regularization, py::arg("model"), py::arg("coef") = py::none(),
           py::arg("reg_key") = py::none(), py::arg("key_name") = py::none(),
           R"(Adds a penalty on parameters or other keys to the cost.

The penalty is multiplied by `coef`, and divided by the geometric mean of the reduction sizes of
the losses that depend on the key.

Args:
    model: the regularizer, such as `ml.L2()`.
    coef: factor of the penalty.
    reg_key: the port that is regularized. None uses the canonical input.
    key_name: name of an output with the penalty. None adds no output.
    ports: a key, a connection, or a regular expression (`re.compile`) that is searched for in the
        names of the parameters.

Raises:
    NameError: If a regular expression matches no parameter.

Example:
    import re

    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="target")
    train.add_regularization(ml.L2(), 1e-3, input=re.compile("weight")))")
      .def(
          "add_metric",
          [](TrainModel& train, py::handle metric, py::handle reduce_steps, const Name& key_name,
             const py::kwargs& ports) {
            train.add_metric(
                model_of(metric, "a model for the metric, such as ml.Accuracy()"),
                bindings_of(ports),
                {.reduce_steps = steps_of(reduce_steps), .key_name = key_name.value_or("")});
          },
          py::arg("model"), py::arg("reduce_steps") = py::none(), py::arg("key_name") = py::none(),
          R"(Adds a metric: an output that does not affect the cost.

Args:
    model: the metric, such as `ml.Accuracy()`.
    reduce_steps: list of models that reduce the metric. None does not reduce it.
    key_name: name of the output. None uses the name of the class.
    ports: a key, a connection or a value for each port of the metric.

Example:
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="target")
    train.add_metric(ml.AbsoluteError(), [ml.Mean()], "error", input="y", target="target"))")
      .def(
          "set_loss_combiner",
          [](TrainModel& train, py::handle model) {
            train.set_loss_combiner(
                model_of(model, "a model that combines losses, such as ml.Sum()"));
          },
          py::arg("model"),
          R"(Sets the model that combines all losses into one number.

Args:
    model: a model such as `ml.Sum()`, which is the default.

Raises:
    TypeError: If the argument is not a model.

Example:
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="target")
    train.set_loss_combiner(ml.Mean()))");
}

py::object object_of(const Model& model) {
  if (const std::optional<TrainModel> train = TrainModel::of(model)) return py::cast(*train);
  return py::cast(model);
}

}  // namespace mithril::python
