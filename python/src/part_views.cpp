// The parts of models.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/model/part_view.hpp"

namespace mithril::python {
namespace {

py::dict options_of_part(const PartView& part) {
  py::dict options;
  for (const auto& [name, value] : part.options()) options[py::str(name)] = object_of(value);
  return options;
}

py::dict parts_by_name(const std::vector<PartView>& parts) {
  py::dict named;
  for (const PartView& part : parts) named[py::str(part.name())] = part;
  return named;
}

py::dict shapes_of_part(const PartView& part) {
  py::dict shapes;
  for (const auto& [name, shape] : part.shapes()) shapes[py::str(name)] = sizes_of(shape);
  return shapes;
}

std::string name_of_class(py::handle type) { return py::str(type.attr("__name__")); }

std::vector<PartView> find_parts(const Model& model, py::handle what) {
  if (py::isinstance<py::type>(what)) return find_class(model, name_of_class(what));
  return find_paths(model, text_of(what, "a class, or a pattern of paths"));
}

}  // namespace

void bind_part_views(py::module_& module, py::class_<Model>& model) {
  py::class_<PartView>(module, "Part", R"(A part of a model, as it is inside it.

Example:
    net = ml.Model()
    net |= ml.Linear(3, name="fc1")(input="x", output="y")
    part = net.parts["fc1"]
    print(part.path, part.class_name, part.options, part.shapes)

See docs/editing.md.)")
      .def_property_readonly("name", &PartView::name, "The name in the model that contains it.")
      .def_property_readonly("path", &PartView::path, "The path in the whole model: 'encoder.fc1'.")
      .def_property_readonly("class_name", &PartView::class_name, "The name of its class.")
      .def_property_readonly(
          "options", options_of_part,
          "The arguments of its constructor, by name; empty for a composed model.")
      .def_property_readonly("inputs", &PartView::inputs, "The names of its inputs.")
      .def_property_readonly("outputs", &PartView::outputs, "The names of its outputs.")
      .def_property_readonly("shapes", shapes_of_part,
                             "The known sizes of ports that may hold tensors, by name, as in "
                             "Model.get_shapes.")
      .def_property_readonly(
          "parts", [](const PartView& part) { return parts_by_name(part.parts()); },
          "Its own parts, by name.")
      .def_property_readonly("model", &PartView::model,
                             "The part as a model. `copy()` returns an independent model.")
      .def("__repr__", [](const PartView& part) { return tree(part.model()); });
  model.def("__str__", [](const Model& self) { return tree(self); })
      .def(
          "summary",
          [](const Model& m, bool shapes, bool types, int depth) {
            return m.summary(shapes, types, depth);
          },
          py::arg("shapes") = true, py::arg("types") = false, py::arg("depth") = 0,
          R"(Returns a table of the parts and of `depth` levels of their parts, as text.

Args:
    shapes: whether to show the shapes of ports.
    types: whether to show their types.
    depth: the number of levels of parts of parts.

Example:
    print(model.summary()))")
      .def_property_readonly(
          "parts", [](const Model& self) { return parts_by_name(parts(self)); },
          "The parts by name, in the order in which they were added.")
      .def("walk", &walk, R"(Returns all parts of all levels, each before its own parts.

Example:
    for part in model.walk():
        print(part.path, part.class_name))")
      .def("find", find_parts, py::arg("what"),
           R"(Returns the parts of a class, or those whose path matches a pattern.

Args:
    what: a class, such as ml.Linear, or a pattern of paths with the wildcards * and ?.

Example:
    layers = model.find(ml.Linear)
    attention = model.find("encoder.*.attn"))");
}

}  // namespace mithril::python
