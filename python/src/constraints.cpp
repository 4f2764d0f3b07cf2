// The view of the facts that a constraint written in Python has.
#include "convert.hpp"
#include "mithril/base/error.hpp"
#include "mithril/op/solver.hpp"

namespace mithril::python {
namespace {

// Valid during the call that gets it.
struct Held {
  Solver* solver;
  Solver& get() const {
    if (solver) return *solver;
    raise({.kind = ErrorKind::state,
           .code = "E0906",
           .message = "a solver is used after the constraint has returned"});
  }
};

py::object number_or_none(Solver& s, const Dim& dim) {
  int64_t number = 0;
  return s.number(dim, number) ? py::object(py::int_(number)) : py::none();
}

// None for a value that is not known yet; the constraint waits for it.
py::object known(Solver& s, const Datum& datum) {
  if (datum.kind() == kind::int_value) return number_or_none(s, datum.dim());
  if (datum.kind() != kind::tuple) return object_of(datum);
  py::list items;
  for (const Datum& item : datum.tuple()) items.append(known(s, item));
  return py::tuple(items);
}

py::object shape(const Held& held, const std::string& key) {
  std::vector<Dim> dims;
  if (!held.get().shape(key, dims, 0)) return py::none();
  py::list sizes;
  for (const Dim& dim : dims) sizes.append(number_or_none(held.get(), dim));
  return sizes;
}

py::object value(const Held& held, const std::string& key) {
  const Datum* datum = held.get().value(key, 0);
  return datum ? known(held.get(), *datum) : py::none();
}

void set_shape(const Held& held, const std::string& key, py::handle shape) {
  Solver& s = held.get();
  std::vector<Dim> now, dims;
  const bool ranked = s.shape(key, now, 0);
  const ShapeSpec stated = shape_of(shape);
  for (const DimSpec& spec : stated.dims()) {
    const size_t i = dims.size();
    if (const auto* size = std::get_if<int64_t>(&spec)) {
      dims.emplace_back(*size);
    } else if (std::holds_alternative<Any>(spec)) {
      dims.push_back(ranked && i < now.size() ? now[i] : s.fresh(true));
    } else {
      wrong_type(shape, "ints, and None for a size that stays as it is");
    }
  }
  s.set_shape(key, dims, 0);
}

}  // namespace

std::function<bool(Solver&)> constraint_of(const py::function& function) {
  return [function = shared_function(function)](Solver& solver) {
    const InterpreterLocked lock;
    const auto held = std::make_shared<Held>(Held{&solver});
    try {
      const py::object answer = (*function)(held);
      held->solver = nullptr;
      return py::isinstance<py::bool_>(answer) && answer.cast<bool>();
    } catch (...) {
      held->solver = nullptr;
      throw;
    }
  };
}

void bind_constraints(py::module_& module) {
  py::class_<Held, std::shared_ptr<Held>>(module, "Solver",
                                          R"(The known facts about the keys of a constraint.

`Model.add_constraint` passes a Solver to its function. It is valid until the function returns.

Example:
    def as_many_rows(solver):
        x, mask = solver.shape("x"), solver.shape("mask")
        if x is None or mask is None or x[0] is None:
            return False
        solver.set_shape("mask", [x[0], None])
        return True
    model.add_input("mask")
    model.add_constraint(as_many_rows, ["x", "mask"])

See docs/semantics.md.)")
      .def("shape", shape, py::arg("key"),
           R"(Returns a list with None for each unknown size, or None if the rank is unknown.

Raises:
    NameError: If the constraint is not on this key.

Example:
    def waits_for_rank(solver):
        return solver.shape("x") is not None

    model.add_constraint(waits_for_rank, ["x"]))")
      .def(
          "value", value, py::arg("key"),
          R"(Returns the value of a key that holds no tensor, such as a shape. None if it is unknown.

Raises:
    NameError: If the constraint is not on this key.

Example:
    total = ml.Model()
    total |= ml.Sum()(input="x", axis="axis", output="y")
    total.add_constraint(lambda solver: solver.value("axis") is not None, ["axis"]))")
      .def("set_shape", set_shape, py::arg("key"), py::arg("shape"),
           R"(States the shape of a key: ints, and None for a size that stays as it is.

Raises:
    NameError: If the constraint is not on this key.
    ShapeError: If the shape contradicts a known one. The model does not change.

Example:
    def has_four_features(solver):
        solver.set_shape("x", [None, 4])
        return True

    model.add_constraint(has_four_features, ["x"]))")
      .def(
          "set_value",
          [](const Held& held, const std::string& key, py::handle value) {
            held.get().set_value(key, datum_of(value), 0);
          },
          py::arg("key"), py::arg("value"),
          R"(States the value of a key that holds no tensor but a number, a text or a shape.

Raises:
    NameError: If the constraint is not on this key.
    ValueError: If the value contradicts a known one. The model does not change.

Example:
    def over_the_last_axis(solver):
        solver.set_value("axis", -1)
        return True

    total = ml.Model()
    total |= ml.Sum()(input="x", axis="axis", output="y")
    total.add_constraint(over_the_last_axis, ["axis"]))")
      .def(
          "set_type",
          [](const Held& held, const std::string& key, py::handle type) {
            held.get().narrow(key, kinds_of(type), 0);
          },
          py::arg("key"), py::arg("type"),
          R"(States the type of a key, in the form of `Model.set_types`.

Raises:
    NameError: If the constraint is not on this key.
    TypeError: If the type contradicts a known one. The model does not change.

Example:
    def holds_floats(solver):
        solver.set_type("x", ml.Tensor[float])
        return True

    model.add_constraint(holds_floats, ["x"]))")
      .def(
          "reject",
          [](const Held& held, const std::string& message, const std::string& expected,
             const std::string& got) { held.get().reject(message, expected, got); },
          py::arg("message"), py::arg("expected") = "", py::arg("got") = "",
          R"(Refuses what is known. The model does not change.

Args:
    message: what is wrong.
    expected: what is expected.
    got: what is known instead.

Raises:
    ValueError: Always.

Example:
    def has_even_rows(solver):
        rows = (solver.shape("x") or [None])[0]
        if rows is not None and rows % 2:
            solver.reject("x has an odd number of rows", "an even number", str(rows))
        return rows is not None

    model.add_constraint(has_even_rows, ["x"]))");
}

}  // namespace mithril::python
