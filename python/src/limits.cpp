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
      R"(Returns the limits of this process, {name: number}. `set_limits` describes them.

Example:
    assert ml.limits()["parts"] == 1_000_000

See docs/semantics.md.)");
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
      R"(Changes limits of this process. A limit that is None stays as it is.

Limits keep a short text from exhausting the memory. An input that exceeds a limit raises a
ValueError that names the limit, and the model does not change.

Args:
    repetitions: the largest argument of a library model that counts repetitions, such as
        max_sequence_length, n_classes, split_size or degree.
    parts: the number of ops of one model, at all depths.
    dim_terms: the number of terms of a product of dims, and of factors of each term.
    tuple_items: the number of items of one tuple, including those of nested tuples.

Raises:
    ValueError: If a limit is below 1.

Example:
    ml.set_limits(repetitions=8192)
    assert ml.limits()["repetitions"] == 8192
    ml.set_limits(repetitions=4096)

See docs/semantics.md.)");
}

}  // namespace mithril::python
