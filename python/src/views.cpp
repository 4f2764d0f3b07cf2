// Pages that show models.
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <utility>

#include "convert.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/viewer/view.hpp"

namespace mithril::python {
namespace {

// A page. Its text is made once, when the view is.
struct View {
  std::string page;
};

std::map<std::string, std::map<std::string, double>> numbers_of_measured(const py::dict& measured) {
  std::map<std::string, std::map<std::string, double>> numbers;
  for (const auto& [name, by_path] : measured) {
    if (!py::isinstance<py::dict>(by_path)) wrong_type(by_path, "a dict from paths to numbers");
    auto& of_name = numbers[text_of(name, "the name of what was measured")];
    for (const auto& [path, number] : by_path.cast<py::dict>()) {
      if (!py::isinstance<py::float_>(number) && !py::isinstance<py::int_>(number))
        wrong_type(number, "a number");
      of_name[text_of(path, "the path of a part")] = number.cast<double>();
    }
  }
  return numbers;
}

View view_of_model(const Model& model, py::handle params, const py::dict& shapes, bool gradients,
                   bool passes, const py::dict& measured, const std::string& title) {
  ViewOptions options{.title = title, .gradients = gradients, .passes = passes};
  for (const auto& [key, shape] : shapes)
    options.shapes.emplace_back(text_of(key, "the name of a key"), shape_of(shape));
  options.measured = argument("view", "measured", [&] { return numbers_of_measured(measured); });
  TensorMap tensors;
  if (!params.is_none()) {
    tensors = argument("view", "params", [&] {
      if (!py::isinstance<py::dict>(params)) wrong_type(params, "a dict of parameters");
      return tensor_map_of(params.cast<py::dict>());
    });
    options.params = &tensors;
  }
  return {view_page(model, options)};
}

// The page in a frame of its own, so that its styles and names do not meet those of the notebook.
std::string frame_of(const View& view) {
  std::string text;
  for (const char c : view.page)
    text += c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return "<iframe title=\"model\" style=\"width:100%;height:600px;border:1px solid #8888\" "
         "srcdoc=\"" +
         text + "\"></iframe>";
}

}  // namespace

void bind_views(py::module_& module, py::class_<Model>& model) {
  py::class_<View>(module, "View", R"(A page that shows a model, made by Model.view.

A notebook shows it. It is one HTML file that needs no network.

Example:
    model.view().save("model.html")

See docs/viewer.md.)")
      .def_property_readonly(
          "page", [](const View& view) { return view.page; }, "The page as text.")
      .def("_repr_html_", frame_of)
      .def(
          "save",
          [](const View& view, py::handle path) {
            const std::string to = path_of(path);
            if (const std::string why = write_file(to, view.page); !why.empty())
              cannot_write(to, why);
          },
          py::arg("path"), R"(Writes the page to a file.

Raises:
    InputError: If the file cannot be written.

Example:
    model.view().save("model.html"))");
  model.def("view", view_of_model, py::arg("params") = py::none(), py::kw_only(),
            py::arg("shapes") = py::dict(), py::arg("gradients") = false, py::arg("passes") = false,
            py::arg("measured") = py::dict(), py::arg("title") = "",
            R"(Returns a page that shows the model: its parts, values, shapes, and what stated them.

Parts fold and unfold. A notebook shows the page, and `save` writes it to a file.

Args:
    params: dict of parameters, whose elements are shown as histograms.
    shapes: sizes that the model leaves open, for the page only.
    gradients: whether to add the graph with the gradients of the parameters.
    passes: whether to add the graphs after each pass.
    measured: numbers by name and by the path of a part or a value, such as {"time": {"fc1":
        0.002}}, in seconds; "bytes" is in bytes.
    title: the title of the page.

Raises:
    InputError: If the model lacks a key of `params` or a path of `measured`, or a measured number
        is negative or not finite. With `gradients` or `passes` also the errors of `ml.compile`
        about models.

Example:
    model.view(gradients=True).save("model.html"))");
}

}  // namespace mithril::python
