// Options of optimizers and training steps: groups of parameters and averages.
#include "mithril/optim/training_options.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "convert.hpp"
#include "mithril/optim/parameter_group.hpp"

namespace mithril::python {
namespace {

constexpr const char* options_doc = "The arguments of the constructor by their names.";

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
      "Options of the parameters of an optimizer whose key matches a pattern: `*` is\n"
      "any text, dots included, and `?` one character. Of several groups that match\n"
      "a key the first counts.\n\n"
      "Example:\n"
      "    groups = [\n"
      "        ml.ParameterGroup(\"*.bias\", weight_decay=0.0),\n"
      "        ml.ParameterGroup(\"encoder.*\", frozen=True),\n"
      "        ml.ParameterGroup(\"head.*\", lr_factor=10.0),\n"
      "    ]\n"
      "    optimizer = ml.AdamW(1e-3, groups=groups)")
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
                  "The exponential moving average of the parameters after each update. The first\n"
                  "average is the parameters after the first update.")
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
  py::class_<SWA>(module, "SWA",
                  "The mean of the parameters after each `every`-th update that follows the first\n"
                  "`start` updates: stochastic weight averaging.")
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
