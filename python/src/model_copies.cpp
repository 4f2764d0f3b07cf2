// Reading keys of models, and copies of models.
#include "convert.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/edit/edit.hpp"
#include "mithril/model/part_view.hpp"
#include "mithril/train_model/train_model.hpp"

namespace mithril::python {
namespace {

std::string path_in(const Model& model, const PartView& part) {
  const std::string outer = PartView(model).path();
  return part.path().substr(outer.empty() ? 0 : outer.size() + 1);
}

py::object key_or_part(const Model& model, const std::string& key) {
  try {
    return py::cast(model.at(key));
  } catch (const NameError& error) {
    for (const PartView& part : walk(model)) {
      if (path_in(model, part) == key) return py::cast(part);
    }
    ErrorDetails details = error.unnumbered();
    details.help +=
        (details.help.empty() ? "" : " ") + ("add_input(" + in_quotes(key) + ") makes a new input");
    raise(std::move(details));
  }
}

// Parts are not attributes: one that is assigned would not be in the model.
void set_attribute(py::handle self, const py::str& name, py::handle value) {
  const auto text = name.cast<std::string>();
  const bool is_part = py::isinstance<Model>(value) || py::isinstance<Call>(value);
  if (text.rfind('_', 0) != 0 && (is_part || py::isinstance<Connection>(value))) {
    const std::string of_class =
        is_part && py::isinstance<Model>(value) ? value.cast<const Model&>().class_name() : "part";
    raise({.kind = ErrorKind::connection,
           .code = "E0121",
           .message = std::string(is_part ? "a part is not added" : "a connection is not named") +
                      " by assigning it to the attribute " + in_quotes(text),
           .help = is_part
                       ? "write model |= " + of_class + "(..., name=" + in_quotes(text) +
                             ")(input=..., output=...), or model += to chain it"
                       : "name the output of the part, model |= part(output=" + in_quotes(text) +
                             "), or write model.expose_keys(" + text + "=connection)"});
  }
  if (PyObject_GenericSetAttr(self.ptr(), name.ptr(), value.ptr()) != 0)
    throw py::error_already_set();
}

// A handle of the same class in Python as `self`. Copies of models that are edited are models.
py::object of_class(const py::object& self, const Model& model) {
  const py::object plain = object_of(model);
  if (py::isinstance<TrainModel>(plain) || py::isinstance<EditableModel>(self)) return plain;
  const py::type made_class = py::type::of(self);
  py::object made = made_class.attr("__new__")(made_class);
  py::type::of<Model>().attr("__init__")(made, plain);
  return made;
}

}  // namespace

void bind_model_copies(py::class_<Model>& model) {
  model
      .def("__getitem__", key_or_part, py::arg("key"),
           "Returns the connection of a key or of a path, such as \"encoder.fc1.output\", or the "
           "part "
           "of a path, such as \"encoder.fc1\".")
      .def("__setattr__", set_attribute, py::arg("name"), py::arg("value"))
      .def("add_input", &Model::add_input, py::arg("key"),
           R"(Adds a new input and returns its connection.

An input that a part names in its bindings needs no such call.

Raises:
    NameError: If the model has the key already.

Example:
    mask = model.add_input("mask"))")
      .def(
          "copy",
          [](const py::object& self) { return of_class(self, self.cast<const Model&>().copy()); },
          R"(Returns an equal model that belongs to no other model.

The copy of a part has the sizes that were inferred inside the other model. `compile`,
`save_package` and `to_json` take a part, too: they work on such a copy.

Example:
    copy = model.copy()
    assert copy == model)")
      .def(
          "shared",
          [](const py::object& self) { return of_class(self, self.cast<const Model&>().shared()); },
          R"(Returns a part for another place that reads the parameters and states of this one.

Each input that the call neither binds nor chains is that of this part. This part must have been
added to the model before. The gradient of a parameter is the sum over all places.

Raises:
    ConnectionError: If this part is not in a model yet.

Example:
    encoder = ml.Linear(8)
    siamese = ml.Model()
    siamese |= encoder(input="left", output="a")
    siamese |= encoder.shared()(input="right", output="b"))");
}

}  // namespace mithril::python
