// Limits on what an input may build.
#include "mithril/base/limits.hpp"

#include <optional>

#include <pybind11/stl.h>

#include "process.hpp"

namespace mithril::python {

void bind_limits(py::module_& module) {
  module.def(
      "limits",
      [] {
        const Limits now = limits();
        return py::dict(py::arg("repetitions") = now.repetitions, py::arg("parts") = now.parts,
                        py::arg("dim_terms") = now.dim_terms,
                        py::arg("tuple_items") = now.tuple_items);
      },
      "The limits on what an input may build; set_limits describes each limit.");
  using Limit = std::optional<int64_t>;
  module.def(
      "set_limits",
      [](Limit repetitions, Limit parts, Limit dim_terms, Limit tuple_items) {
        Limits now = limits();
        now.repetitions = repetitions.value_or(now.repetitions);
        now.parts = parts.value_or(now.parts);
        now.dim_terms = dim_terms.value_or(now.dim_terms);
        now.tuple_items = tuple_items.value_or(now.tuple_items);
        set_limits(now);
      },
      py::kw_only(), py::arg("repetitions") = py::none(), py::arg("parts") = py::none(),
      py::arg("dim_terms") = py::none(), py::arg("tuple_items") = py::none(),
      R"(Change limits of this process; one that is left out stays.

repetitions: what one argument of a library model may ask for (steps, classes, outputs, a degree).
parts: of one model, at all depths.
dim_terms: of a product of dims, and of the factors of each term.
tuple_items: of one tuple, including those of nested tuples.)");
}

}  // namespace mithril::python
