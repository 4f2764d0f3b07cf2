// Edits of the structure of a model.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/edit/cost.hpp"
#include "mithril/edit/edit.hpp"

namespace mithril::python {
namespace {

Call part_to_place(py::handle part, const std::string& giver = "") {
  if (py::isinstance<Call>(part)) return part.cast<Call>();
  if (!py::isinstance<Model>(part))
    wrong_type(part, "a model, or a part with its ports bound" + giver);
  return {part.cast<const Model&>().part(), {}};
}

// Names of values and their paths: a path, a list of paths, or a dict from names to paths.
EditableModel::Values values_of(py::handle given) {
  if (py::isinstance<py::str>(given)) return {{text_of(given), text_of(given)}};
  EditableModel::Values values;
  if (py::isinstance<py::dict>(given)) {
    for (const auto& [name, path] : given.cast<py::dict>())
      values.emplace_back(text_of(name, "the name of a value"), text_of(path, "a path"));
    return values;
  }
  if (!py::isinstance<py::iterable>(given)) wrong_type(given, "a path, a list of paths or a dict");
  for (const py::handle path : given)
    values.emplace_back(text_of(path, "a path"), text_of(path, "a path"));
  return values;
}

EditableModel& wrap(EditableModel& model, py::handle what, const py::function& function) {
  const EditableModel::Wrapper wrapper = [&](const Model& part) {
    return EditableModel::Wrapped(
        part_to_place(function(object_of(part)), ", from the function of wrap"));
  };
  if (py::isinstance<py::type>(what))
    return model.wrap_class(std::string(py::str(what.attr("__name__"))), wrapper);
  return model.wrap(text_of(what, "a class, or a pattern of paths"), wrapper);
}

py::dict dict_of_cost(const Cost& cost) {
  py::dict made;
  made["operations"] = cost.operations;
  made["bytes"] = cost.bytes;
  return made;
}

KeyShapes shapes_of(const py::dict& shapes) {
  KeyShapes sizes;
  for (const auto& [key, shape] : shapes)
    sizes.emplace_back(text_of(key, "the name of a key"), shape_of(shape));
  return sizes;
}

py::dict cost_of_model(const Model& model, const py::dict& shapes) {
  const ModelCost found = cost(model, shapes_of(shapes));
  py::dict made = dict_of_cost(found.total), parts;
  for (const auto& [path, of_part] : found.parts) parts[py::str(path)] = dict_of_cost(of_part);
  made["parts"] = parts;
  made["uncounted"] = found.uncounted;
  return made;
}

}  // namespace

void bind_edits(py::module_& module, py::class_<Model>& model) {
  py::class_<EditableModel, Model>(module, "EditableModel", py::dynamic_attr(),
                                   R"(A copy of a model whose parts can be exchanged: Model.edit.

Each edit changes this model and returns it. An edit that fails raises an error and changes
nothing. Parts keep their paths, and so the keys of their parameters. Parts and connections that
were read before an edit belong to the model as it was before. See docs/editing.md.

Example:
    edited = model.edit()
    edited.insert_after("linear", ml.Relu()).rename("linear", "head"))")
      .def(
          "replace",
          [](EditableModel& self, const std::string& path, py::handle part) -> EditableModel& {
            return self.replace(path, part_to_place(part));
          },
          py::arg("path"), py::arg("part"), py::return_value_policy::reference_internal,
          R"(Replaces a part by a copy of another, which gets its name and its connections.

Args:
    path: the path of a part, such as "encoder.fc1".
    part: a model, or a call that also binds ports, `ml.Add()(right="x")`. Strings are keys, or
        paths of ports, of the model that contains the part.

Raises:
    ConnectionError: If a port of the old part is connected and the new part does not have it, or
        the parameters of the part are used in two places.

Example:
    edited = model.edit().replace("linear", ml.Linear(10)))")
      .def(
          "insert_after",
          [](EditableModel& self, const std::string& path, py::handle part) -> EditableModel& {
            return self.insert_after(path, part_to_place(part));
          },
          py::arg("path"), py::arg("part"), py::return_value_policy::reference_internal,
          R"(Inserts a copy of a part between a value and all that read it.

Args:
    path: the path of a part with one output, or of an output: "split.output_0".
    part: as in `replace`. It gets its name, or one by its class.

Raises:
    ConnectionError: If the part has no single free input and output, or the edit makes a cycle.

Example:
    edited = model.edit().insert_after("linear", ml.Relu()))")
      .def(
          "insert_before",
          [](EditableModel& self, const std::string& path, py::handle part) -> EditableModel& {
            return self.insert_before(path, part_to_place(part));
          },
          py::arg("path"), py::arg("part"), py::return_value_policy::reference_internal,
          R"(Inserts a copy of a part between an input of a part and what it reads.

Args:
    path: the path of a part with one canonical input, or of an input: "add.right".
    part: as in `insert_after`.

Raises:
    ConnectionError: If the edit does not fit, as for `insert_after`.

Example:
    edited = model.edit().insert_before("linear", ml.LayerNorm()))")
      .def(
          "remove",
          [](EditableModel& self, const std::string& path) -> EditableModel& {
            return self.remove(path);
          },
          py::arg("path"), py::return_value_policy::reference_internal,
          R"(Removes a part and connects its input to the readers of its output.

Raises:
    ConnectionError: If the part has no single canonical input and output, what it computes inside
        is read elsewhere, or its parameters are used in two places.

Example:
    edited = model.edit().insert_after("linear", ml.Relu())
    edited.remove("relu"))")
      .def(
          "wrap", wrap, py::arg("what"), py::arg("function"),
          py::return_value_policy::reference_internal,
          R"(Replaces each matching part by the result of `function`, called with a copy of the part.

Args:
    what: a class, such as ml.Linear, or a pattern of paths with the wildcards * and ?.
    function: takes a copy of the part, which knows the sizes that were inferred, and returns a
        model with the same ports. It may come with bindings, as in `replace`.

Example:
    def twice(part):
        doubled = ml.Model()
        doubled |= part(**{key: key for key in part.input_keys}, output="h")
        doubled |= ml.Multiply()(left="h", right=2.0, output="output")
        doubled.expose_keys("output")
        return doubled

    edited = model.edit().wrap(ml.Linear, twice))")
      .def(
          "expose",
          [](EditableModel& self, const std::string& path, const std::optional<std::string>& name)
              -> EditableModel& { return self.expose(path, name.value_or("")); },
          py::arg("path"), py::arg("name") = py::none(),
          py::return_value_policy::reference_internal,
          R"(Adds an inner value to the outputs.

Args:
    path: the path of a part with one output, or of a port.
    name: the name of the output; None: the path.

Raises:
    NameError: If there is no such part or port, or it has several outputs.

Example:
    edited = model.edit().insert_after("linear", ml.Relu())
    edited.expose("linear", "features"))")
      .def(
          "rename",
          [](EditableModel& self, const std::string& path,
             const std::string& name) -> EditableModel& { return self.rename(path, name); },
          py::arg("path"), py::arg("name"), py::return_value_policy::reference_internal,
          R"(Renames a part, and so the keys of its parameters, or a key.

Raises:
    NameError: If there is no such part or key, or the new name is taken.

Example:
    edited = model.edit().rename("linear", "head"))")
      .def(
          "extract",
          [](const EditableModel& self, py::handle inputs, py::handle outputs) {
            return self.extract(values_of(inputs), values_of(outputs));
          },
          py::kw_only(), py::arg("inputs"), py::arg("outputs"),
          R"(Returns the part of the model between values, as a model.

Args:
    inputs: paths of values, or a dict from names in the new model to paths.
    outputs: the same.

Raises:
    ConnectionError: If no output needs one of the inputs.

Example:
    layer = model.edit().extract(inputs=["x"], outputs={"features": "linear"}))");
  model.def(
      "count_parameters",
      [](const Model& self, const py::dict& shapes) {
        return count_parameters(self, shapes_of(shapes));
      },
      py::arg("shapes") = py::dict(),
      R"(Returns the number of elements of all parameters. One that several parts read counts once.

Args:
    shapes: sizes of inputs, by key.

Raises:
    ShapeError: If a size of a parameter stays open.

Example:
    model.count_parameters({"x": [32, 4]}))");
  model.def(
      "cost", cost_of_model, py::arg("shapes") = py::dict(),
      R"(Returns the operations and the bytes of one evaluation without gradients, in all and per part.

Operations are the additions and multiplications of products and convolutions; each other op counts
as one per element. Bytes are what the ops read and write. The body of a loop counts once per step.
"uncounted" lists the paths of parts that do more than is counted: derivatives, vmap, which counts
as one row, and ops that factor matrices.

Args:
    shapes: sizes of inputs, by key.

Raises:
    ShapeError: If a size stays open.

Example:
    cost = model.cost({"x": [32, 4]})
    print(cost["operations"], cost["parts"]["linear"]["bytes"]))");
  model.def("edit", &edit, R"(Returns a copy of the model whose parts can be exchanged.

Example:
    edited = model.edit()
    edited.replace("linear", ml.Linear(10)))");
}

}  // namespace mithril::python
