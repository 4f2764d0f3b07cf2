// What models state about their keys: canonical keys, shapes, types, values, states, constraints.
#include <pybind11/stl.h>

#include "convert.hpp"

namespace mithril::python {
namespace {

template <typename Value, typename Read>
std::vector<std::pair<std::string, Value>> pairs(const py::dict& given, const py::kwargs& named,
                                                 Read read) {
  std::vector<std::pair<std::string, Value>> result;
  for (const py::dict& items : {given, py::dict(named)}) {
    for (const auto& [key, value] : items)
      result.emplace_back(text_of(key, "the name of a key"), read(value));
  }
  return result;
}

// Names, or the names of connections.
std::vector<std::string> key_names(py::handle keys) {
  if (py::isinstance<py::str>(keys)) return {text_of(keys)};
  if (!py::isinstance<py::iterable>(keys)) wrong_type(keys, "keys: a name, a connection or a list");
  std::vector<std::string> names;
  for (const py::handle key : keys) {
    names.push_back(py::isinstance<Connection>(key)
                        ? key.cast<Connection>().name()
                        : text_of(key, "the name of a key, or a connection"));
  }
  return names;
}

// Converts to a binding, where a string is a value, not a name.
Binding value_of(py::handle object) {
  return py::isinstance<py::str>(object) ? Binding(datum_of(object)) : binding_of(object);
}

}  // namespace

void bind_model_facts(py::class_<Model>& model) {
  model
      .def(
          "set_cin", [](Model& m, const py::args& keys) { m.set_cin(key_names(keys)); },
          R"(Sets the canonical inputs, which `+=` connects when this model is the part.

Example:
    model.set_cin("x"))")
      .def(
          "set_cout", [](Model& m, const py::args& keys) { m.set_cout(key_names(keys)); },
          R"(Sets the canonical outputs, to which `+=` connects the next part.

Example:
    model.set_cout("y"))")
      .def(
          "set_shapes",
          [](Model& m, const py::dict& given, const py::kwargs& named) {
            m.set_shapes(pairs<ShapeSpec>(given, named, shape_of));
          },
          py::arg("shapes") = py::dict(),
          R"(States shapes of keys, as a dict or by name.

A size is an int, a name, None for any size, or ... for any number of sizes.

Raises:
    ShapeError: If the shape contradicts a known one. The model does not change.

Example:
    model.set_shapes(x=["N", 4]))")
      .def(
          "set_types",
          [](Model& m, const py::dict& given, const py::kwargs& named) {
            m.set_types(pairs<PortType>(given, named, port_type_of));
          },
          py::arg("types") = py::dict(), R"(States types of keys, as a dict or by name.

Raises:
    TypeError: If the type contradicts a known one. The model does not change.

Example:
    model.set_types(x=ml.Tensor[float]))")
      .def(
          "set_values",
          [](Model& m, const py::dict& given, const py::kwargs& named) {
            m.set_values(pairs<Binding>(given, named, value_of));
          },
          py::arg("values") = py::dict(),
          R"(States values of keys, as a dict or by name. Arrays have any shape that fits the key.

Raises:
    NameError: If there is no such key.
    TypeError, ValueError: A value does not fit, and the model does not change.

Example:
    total = ml.Model()
    total |= ml.Sum()(input="x", axis="axis", output="y")
    total.set_values(axis=1))")
      .def(
          "set_differentiability",
          [](Model& m, const py::dict& given, const py::kwargs& named) {
            m.set_differentiability(pairs<bool>(given, named, [](py::handle flag) {
              if (!py::isinstance<py::bool_>(flag)) wrong_type(flag, "True or False");
              return flag.cast<bool>();
            }));
          },
          py::arg("keys") = py::dict(),
          R"(States whether keys are differentiable. False freezes parameters of layers.

Example:
    model.set_differentiability(weight=False))")
      .def(
          "bind_state_keys",
          [](Model& m, const std::string& input, const std::string& output, py::handle initial) {
            if (py::isinstance<RandomKey>(initial)) {
              m.bind_state_keys(input, output, initial.cast<RandomKey>());
            } else {
              m.bind_state_keys(input, output, tensor_of(initial));
            }
          },
          py::arg("input"), py::arg("output"), py::arg("initial_value"),
          R"(Makes a state of an input: its next value is the value of the output.

Args:
    input: the key of the input.
    output: the key of the output, which has the shape and the type of the input.
    initial_value: an array of this shape, a number that fills the state, or a RandomKey. A state
        that is known to have more axes begins with it in each index of the first axes.

Raises:
    NameError: If there is no such key.

Example:
    counter = ml.Model()
    counter |= ml.Add()(left="count", right=1.0, output="next")
    counter.bind_state_keys("count", "next", 0.0))")
      .def(
          "add_constraint",
          [](Model& m, const py::function& fn, py::handle keys) {
            m.add_constraint(constraint_of(fn), key_names(keys));
          },
          py::arg("fn"), py::arg("keys"),
          R"(Calls fn(solver) now, and when an unknown fact that it read changes.

`fn` states facts about the keys, and returns True when it is done. It must keep no state.

Example:
    model.add_constraint(lambda solver: solver.shape("x") is not None, ["x"]))")
      .def(
          "get_shapes",
          [](const Model& m) {
            py::dict shapes;
            for (const auto& [key, shape] : m.get_shapes()) shapes[py::str(key)] = sizes_of(shape);
            return shapes;
          },
          R"(Returns the known shapes of inputs and outputs, {key: sizes}.
A size is an int, a name or an expression such as "2*H + 3", None for a size without a name, or
... for any number of sizes.

Example:
    print(model.get_shapes()["y"]))");
}

}  // namespace mithril::python
