// The first values of parameters.
#include "mithril/model/initializer.hpp"

#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "convert.hpp"
#include "mithril/base/names.hpp"
#include "mithril/model/model.hpp"

namespace mithril::python {
namespace {

using Law = Initializer::Distribution;

constexpr std::pair<const char*, Law> laws[] = {
    {"zeros", Law::zeros},
    {"ones", Law::ones},
    {"constant", Law::constant},
    {"uniform", Law::uniform},
    {"normal", Law::normal},
    {"uniform_fan_in", Law::uniform_fan_in},
    {"uniform_fan_out", Law::uniform_fan_out},
    {"uniform_fan_mean", Law::uniform_fan_mean},
    {"normal_fan_in", Law::normal_fan_in},
    {"normal_fan_out", Law::normal_fan_out},
    {"normal_fan_mean", Law::normal_fan_mean},
};

Initializer initializer_of(const std::string& law, double a, double b) {
  for (const auto& [name, distribution] : laws) {
    if (law == name) return {.distribution = distribution, .a = a, .b = b};
  }
  std::vector<std::string> known;
  for (const auto& each : laws) known.emplace_back(each.first);
  unknown_member(ErrorKind::name, "E0605", "an initializer", "law", law, "", known);
}

std::string law_of(const Initializer& initializer) {
  for (const auto& [name, distribution] : laws) {
    if (initializer.distribution == distribution) return name;
  }
  return "function";
}

Initializer initializer_of(const py::function& function) {
  return {.distribution = Law::function,
          .function = [held = shared_function(function)](const Dims& dims, std::uint64_t seed) {
            const InterpreterLocked lock;
            py::tuple shape(dims.size());
            for (std::size_t i = 0; i < dims.size(); ++i) shape[i] = dims[i];
            return tensor_of((*held)(shape, seed)).copy();
          }};
}

void set_initializer(Model& model, const std::string& key, py::handle initializer) {
  if (py::isinstance<Initializer>(initializer)) {
    model.set_initializer(key, initializer.cast<const Initializer&>());
  } else if (py::isinstance<py::function>(initializer) && !py::isinstance<py::type>(initializer)) {
    model.set_initializer(key, initializer_of(initializer.cast<py::function>()));
  } else {
    wrong_type(initializer,
               "an initializer, such as ml.initializers.xavier_uniform(), or a "
               "function of a shape and a seed");
  }
}

}  // namespace

void bind_initializers(py::module_& module) {
  py::class_<Initializer>(module, "Initializer",
                          R"(A rule for the initial values of a parameter.

The functions of `ml.initializers` create initializers.

Example:
    model.set_initializer("weight", ml.initializers.normal(0.0, 0.02))

See docs/semantics.md.)")
      .def(py::init([](const std::string& law, double a, double b) {
             return initializer_of(law, a, b);
           }),
           py::arg("law"), py::kw_only(), py::arg("a") = 0.0, py::arg("b") = 1.0)
      .def_property_readonly(
          "options",
          [](const Initializer& initializer) {
            py::dict options;
            options["law"] = law_of(initializer);
            options["a"] = initializer.a;
            options["b"] = initializer.b;
            return options;
          },
          "Dict of the arguments of the constructor.")
      .def("__repr__", [](const Initializer& initializer) {
        return "Initializer('" + law_of(initializer) + "', a=" + to_string(Datum(initializer.a)) +
               ", b=" + to_string(Datum(initializer.b)) + ")";
      });
  py::class_<Model> model = module.attr("Model");
  model.def("set_initializer", set_initializer, py::arg("key"), py::arg("initializer"),
            R"(Sets the initial values of a parameter, which `get_parameters` returns.

Args:
    key: key of the parameter, or its path in a part of the model.
    initializer: an initializer of `ml.initializers`, or a function fn(shape, seed) that returns an
        array of this shape or a number. The seed differs between parameters. JSON and pickles do
        not store the function.

Raises:
    NameError: If there is no such key.
    ShapeError: In `get_parameters`, if the function returns an array of another shape.

Example:
    model.set_initializer("weight", ml.initializers.kaiming_normal())
    model.set_initializer("bias", lambda shape, seed: np.zeros(shape, np.float32))

See docs/semantics.md.)");
}

}  // namespace mithril::python
