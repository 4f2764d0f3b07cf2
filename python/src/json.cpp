// Models as JSON, and whether two are equal.
#include "convert.hpp"
#include "mithril/json/model_json.hpp"

namespace mithril::python {

void bind_json(py::module_& module) {
  py::class_<Model> model = module.attr("Model");
  model
      .def("to_json", &to_json, R"(Returns the model as JSON text. See docs/model-json.md.

Example:
    text = model.to_json())")
      .def_static(
          "from_json",
          [](py::handle text) {
            if (!py::isinstance<py::str>(text)) wrong_type(text, "JSON as text: json.dumps(...)");
            return object_of(from_json(text.cast<std::string>()));
          },
          py::arg("text"), R"(Returns the model that JSON text describes. See docs/model-json.md.

Raises:
    ParseError: If the text is not JSON, or describes no model.
    NameError: If it has an unknown field, op or port.

Example:
    copy = ml.Model.from_json(model.to_json())
    assert copy == model)")
      .def(
          "__eq__", [](const Model& a, const Model& b) { return a == b; }, py::is_operator(),
          py::arg("other"))
      // The hash of a model is by identity: a hash of its contents would change while the model is
      // in a set or dict.
      .def("__hash__", [](const py::object& self) {
        return py::hash(py::int_(reinterpret_cast<size_t>(self.ptr())));
      });
}

}  // namespace mithril::python
