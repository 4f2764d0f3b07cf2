// A model over a new axis.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/models/vmap.hpp"

namespace mithril::python {
namespace {

using NamedAxes = std::vector<std::pair<std::string, std::int64_t>>;

// {"x": 0}, or an int for all of `keys`.
NamedAxes named_axes(py::handle axes, const char* all) {
  if (axes.is_none()) return {};
  if (is_int(axes)) return {{all, int_of(axes)}};
  if (!py::isinstance<py::dict>(axes)) wrong_type(axes, "a dict of names and axes, or an int");
  NamedAxes named;
  for (const auto& [key, axis] : axes.cast<py::dict>()) {
    const std::string name = text_of(key);
    if (!is_int(axis)) wrong_type(axis, "an int as the axis of '" + name + "'");
    named.emplace_back(name, int_of(axis));
  }
  return named;
}

std::vector<std::string> patterns_of(py::handle patterns) {
  if (patterns.is_none()) return {};
  if (py::isinstance<py::str>(patterns)) return {text_of(patterns)};
  if (!py::isinstance<py::iterable>(patterns))
    wrong_type(patterns, "a name or a pattern, or a list of them");
  std::vector<std::string> all;
  for (const py::handle pattern : patterns) all.push_back(text_of(pattern, "a name or a pattern"));
  return all;
}

Model vmap_of(const Model& model, py::handle in_axes, py::handle out_axes, py::handle params,
              std::optional<std::int64_t> size) {
  return vmap(model,
              {.in_axes = argument("vmap", "in_axes",
                                   [&] {
                                     if (is_int(in_axes))
                                       wrong_type(in_axes, "a dict of names of inputs and axes");
                                     return named_axes(in_axes, "");
                                   }),
               .out_axes = argument("vmap", "out_axes", [&] { return named_axes(out_axes, "*"); }),
               .params = argument("vmap", "params", [&] { return patterns_of(params); }),
               .size = size});
}

}  // namespace

void bind_vmap(py::module_& module) {
  module.def("vmap", vmap_of, py::arg("model"), py::arg("in_axes") = py::none(),
             py::arg("out_axes") = 0, py::arg("params") = py::none(), py::kw_only(),
             py::arg("size") = py::none(),
             R"(Returns a model that computes a model for each index of a new axis, at once.

The model becomes a part, and the new one has its ports. All outputs have the new axis. Inputs that
are not named are the same for each index. Random values that depend on a mapped input differ for
each index. A state whose next value differs for each index has the axis first: each index has its
own. The result composes, trains and is differentiated like any other part, and vmap applies
to it again.

Args:
    model: a model that is not yet a part.
    in_axes: a dict of inputs that have the new axis and its place among their axes. Names may
        contain the wildcards * and ?.
    out_axes: the place of the axis in all outputs, or a dict of outputs and places.
    params: parameters of layers that have it as their first axis, as names or patterns: each index
        has its own, which begin independently. "*" means all of them.
    size: the size of the axis. Needed where only parameters have it.

Returns:
    A new Model.

Raises:
    NameError: If a name or a pattern matches nothing.
    ValueError: If no input has the axis. When compiling, if the model has an op without a batching
        rule.

Example:
    net = ml.Model()
    net |= ml.Linear(2)(input="x", output="y")
    ensemble = ml.vmap(net, params="*", size=8)  # y: [8, N, 2]
    print(ensemble.output_keys)  # ['y']

See docs/derivatives.md.)");
}

}  // namespace mithril::python
