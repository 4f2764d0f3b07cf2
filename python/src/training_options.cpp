// Options of optimizers and training steps: groups of parameters and averages.
#include "mithril/optim/training_options.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "convert.hpp"
#include "mithril/optim/parameter_group.hpp"

namespace mithril::python {
namespace {

constexpr const char* options_doc = "Dict of the arguments of the constructor.";

template <typename Option>
Option checked_average(Option option) {
  TrainingOptions{.average = option}.check();
  return option;
}

// Prints the class and its options.
py::str shown_options(py::handle self) {
  std::string text;
  for (const auto& [key, value] : self.attr("options").cast<py::dict>()) {
    text += (text.empty() ? "" : ", ") + py::str(key).cast<std::string>() + "=" +
            py::repr(value).cast<std::string>();
  }
  return py::str(py::type::of(self).attr("__name__")).cast<std::string>() + "(" + text + ")";
}

}  // namespace

void bind_training_options(py::module_& module) {
  using Group = ParameterGroup;
  py::class_<Group>(
      module, "ParameterGroup",
      R"(Gives an optimizer other options for the parameters whose keys match a pattern.

If several groups match a parameter, the first group applies.

Args:
    pattern: pattern of keys. `*` matches any text, including dots; `?` matches one character.
    lr_factor: factor of the learning rate.
    weight_decay: weight decay of these parameters. None uses that of the optimizer.
    frozen: whether this optimizer leaves them as they are. `frozen=` of `compile` also leaves out
        their gradients.

Raises:
    ValueError: If an option is out of range.

Example:
    groups = [
        ml.ParameterGroup("*bias", weight_decay=0.0),
        ml.ParameterGroup("w*", lr_factor=10.0),
    ]
    optimizer = ml.AdamW(1e-3, groups=groups)
    step = ml.TrainingStep(compiled, optimizer)

See docs/semantics.md.)")
      .def(py::init([](const std::string& pattern, double lr_factor,
                       std::optional<double> weight_decay, bool frozen) {
             const Group group{pattern, lr_factor, weight_decay, frozen};
             check_groups({group});
             return group;
           }),
           py::arg("pattern"), py::kw_only(), py::arg("lr_factor") = 1.0,
           py::arg("weight_decay") = py::none(), py::arg("frozen") = false)
      .def_property_readonly(
          "options",
          [](const Group& group) {
            py::dict options;
            options["pattern"] = group.pattern;
            options["lr_factor"] = group.lr_factor;
            options["weight_decay"] = group.weight_decay;
            options["frozen"] = group.frozen;
            return options;
          },
          options_doc)
      .def("__repr__", shown_options);
  py::class_<EMA>(module, "EMA",
                  R"(Keeps an exponential moving average of the parameters of a `TrainingStep`.

Each update computes average += (1 - decay) * (parameter - average). The first average equals the
parameters after the first update; there is no bias correction.

Args:
    decay: weight of the previous average.

Raises:
    ValueError: If `decay` is out of range.

Example:
    step = ml.TrainingStep(compiled, optimizer, average=ml.EMA(0.99))
    step(params, data)
    averages = step.averages(params)

See docs/semantics.md.)")
      .def(py::init([](double decay) { return checked_average(EMA{decay}); }),
           py::arg("decay") = 0.999)
      .def_property_readonly(
          "options",
          [](const EMA& ema) {
            py::dict options;
            options["decay"] = ema.decay;
            return options;
          },
          options_doc)
      .def("__repr__", shown_options);
  py::class_<SWA>(
      module, "SWA",
      R"(Keeps the mean of the parameters of a `TrainingStep`: stochastic weight averaging.

Args:
    start: number of updates before the averaging begins.
    every: number of updates between two sets of parameters that enter the mean.

Raises:
    ValueError: If an argument is out of range.

Example:
    step = ml.TrainingStep(compiled, optimizer, average=ml.SWA(start=2, every=2))
    for _ in range(6):
        step(params, data)
    averages = step.averages(params)

See docs/semantics.md.)")
      .def(py::init([](std::int64_t start, std::int64_t every) {
             return checked_average(SWA{start, every});
           }),
           py::arg("start") = 0, py::arg("every") = 1)
      .def_property_readonly(
          "options",
          [](const SWA& swa) {
            py::dict options;
            options["start"] = swa.start;
            options["every"] = swa.every;
            return options;
          },
          options_doc)
      .def("__repr__", shown_options);
}

}  // namespace mithril::python
