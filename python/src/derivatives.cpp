// Derivatives of connections and of models.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/base/names.hpp"
#include "mithril/models/derivatives.hpp"

namespace mithril::python {
namespace {

// A connection, or several.
struct Connections {
  std::vector<Connection> items;
  bool several = false;

  explicit Connections(py::handle object) : several(!py::isinstance<Connection>(object)) {
    if (!several) {
      items.push_back(object.cast<const Connection&>());
      return;
    }
    if (!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object))
      wrong_type(object, "a connection, or a list of connections");
    for (const py::handle item : object) {
      if (!py::isinstance<Connection>(item)) wrong_type(item, "a connection");
      items.push_back(item.cast<const Connection&>());
    }
  }

  py::object like(const std::vector<Connection>& results) const {
    return several ? py::cast(results) : py::cast(results.front());
  }

  // Bindings of as many values: one, or a list.
  std::vector<Binding> bindings_of(py::handle values) const {
    const bool is_list = py::isinstance<py::list>(values) || py::isinstance<py::tuple>(values);
    if (is_list != several)
      wrong_type(values, several ? "a list of as many items as wrt" : "a connection or an array");
    if (!several) return {binding_of(values)};
    std::vector<Binding> bindings;
    for (const py::handle value : values) bindings.push_back(binding_of(value));
    return bindings;
  }
};

py::object gradient_of(const Connection& of, py::handle wrt, py::handle seed) {
  const Connections inputs(wrt);
  std::optional<Binding> given;
  if (!seed.is_none()) given = binding_of(seed);
  return inputs.like(gradient(of, inputs.items, given));
}

Connection jvp_of(const Connection& of, py::handle wrt, py::handle tangents) {
  const Connections inputs(wrt);
  return jvp(of, inputs.items, inputs.bindings_of(tangents));
}

py::object hvp_of(const Connection& of, py::handle wrt, py::handle vectors) {
  const Connections inputs(wrt);
  return inputs.like(hvp(of, inputs.items, inputs.bindings_of(vectors)));
}

JacobianMode mode_of(const std::string& mode) {
  if (mode == "reverse") return JacobianMode::reverse;
  if (mode == "forward") return JacobianMode::forward;
  unknown_member(ErrorKind::name, "E0634", "a Jacobian", "mode", mode, "", {"reverse", "forward"});
}

py::object jacobian_of(const Connection& of, py::handle wrt, const std::string& mode) {
  const Connections inputs(wrt);
  return inputs.like(jacobian(of, inputs.items, mode_of(mode)));
}

Model jacobian_model(const Model& model, const std::string& of, std::vector<std::string> wrt,
                     const std::string& mode) {
  return Jacobian(model, {of, std::move(wrt)}, mode_of(mode));
}

using Derivative = Model (*)(const Model&, const DerivativeOptions&);

template <Derivative derivative>
Model derivative_of(const Model& model, const std::string& of, std::vector<std::string> wrt) {
  return derivative(model, {of, std::move(wrt)});
}

}  // namespace

void bind_derivatives(py::module_& module) {
  module.def("gradient", gradient_of, py::arg("of"), py::arg("wrt"), py::arg("seed") = py::none(),
             R"(Returns the gradient of a connection with respect to others, as connections.

All paths of the model from `wrt` to `of` count. The gradient is zero where there is none. Results
may enter a loss and may be differentiated again.

Args:
    of: a connection of floats, which must be a scalar if there is no seed.
    wrt: a connection of floats, or a list of them.
    seed: the incoming gradient: a connection or an array of the shape of `of`, or a number for all
        elements. With 1.0 the result is the gradient of the sum of `of`.

Returns:
    A connection of the shape of `wrt`, or a list of them.

Raises:
    ShapeError: If `of` is not a scalar and there is no seed, or the seed has another shape.

Example:
    x = ml.IOKey("x", shape=["N", 1])
    u = ml.Sine()(x)
    du = ml.gradient(u, x, seed=1.0)
    ddu = ml.gradient(du, x, seed=1.0)
    model = ml.Model.create(u=u, ddu=ddu)

See docs/derivatives.md.)");
  module.def("jvp", jvp_of, py::arg("of"), py::arg("wrt"), py::arg("tangents"),
             R"(Returns the derivative of a connection in a direction, as a connection.

It is the Jacobian of `of` with respect to `wrt`, times the tangents. The Jacobian is never made.

Args:
    of: a connection of floats.
    wrt: a connection of floats, or a list of them.
    tangents: a connection or an array of the shape of `wrt`, or a list of them.

Returns:
    A connection of the shape of `of`.

Raises:
    ValueError: If the numbers of `wrt` and `tangents` differ.
    ShapeError: If a tangent has another shape.

Example:
    x, v = ml.IOKey("x", shape=[3]), ml.IOKey("v", shape=[3])
    model = ml.Model.create(output=ml.jvp(x * x, x, v))

See docs/derivatives.md.)");
  module.def("hvp", hvp_of, py::arg("of"), py::arg("wrt"), py::arg("vectors"),
             R"(Returns the Hessian of a scalar times vectors, as connections.

The Hessian is never made.

Args:
    of: a connection of floats, a scalar.
    wrt: a connection of floats, or a list of them.
    vectors: a connection or an array of the shape of `wrt`, or a list of them.

Returns:
    A connection of the shape of `wrt`, or a list of them.

Raises:
    ValueError: If the numbers of `wrt` and `vectors` differ.
    ShapeError: If `of` is not a scalar, or a vector has another shape.

Example:
    x, v = ml.IOKey("x", shape=[3]), ml.IOKey("v", shape=[3])
    model = ml.Model.create(output=ml.hvp((x * x * x).sum(), x, v))

See docs/derivatives.md.)");
  module.def("jacobian", jacobian_of, py::arg("of"), py::arg("wrt"), py::arg("mode") = "reverse",
             R"(Returns the Jacobian of a connection, as connections.

"reverse" computes a gradient for each element of `of`, and "forward" a jvp for each element of
`wrt`; all are computed at once. Use "forward" if `wrt` has fewer elements.

Args:
    of: a connection of floats of known rank.
    wrt: a connection of floats, or a list of them.
    mode: "reverse" or "forward".

Returns:
    A connection of shape [*of, *wrt], or a list of them.

Raises:
    NameError: If the mode is unknown.

Example:
    x = ml.IOKey("x", shape=[3])
    model = ml.Model.create(output=ml.jacobian(ml.Sine()(x), x))

See docs/derivatives.md.)");
  module.def(
      "hessian", [](const Connection& of, const Connection& wrt) { return hessian(of, wrt); },
      py::arg("of"), py::arg("wrt"),
      R"(Returns the Hessian of a scalar, as a connection.

It is a product with the Hessian for each element of `wrt`, all computed at once.

Args:
    of: a connection of floats, a scalar.
    wrt: a connection of floats of known rank.

Returns:
    A connection of shape [*wrt, *wrt].

Raises:
    ShapeError: If `of` is not a scalar.

Example:
    x = ml.IOKey("x", shape=[3])
    model = ml.Model.create(output=ml.hessian((x * x * x).sum(), x))

See docs/derivatives.md.)");
  module.def("Gradient", derivative_of<Gradient>, py::arg("model"), py::kw_only(), py::arg("of"),
             py::arg("wrt"), R"(Returns a model with the ports of a model and gradients as outputs.

The model becomes a part. Each key of `wrt` has an output "<key>.grad" of its shape. An output `of`
that is not a scalar has an input "<of>.grad" of its shape: the incoming gradient. Only paths inside
the model count. The result composes like any other part, and may be differentiated again.

Args:
    model: a model that is not yet a part.
    of: the name of an output.
    wrt: names of inputs: data or parameters. They may contain the wildcards * and ?.

Returns:
    A new Model.

Raises:
    NameError: If a name does not exist, or a pattern matches no input.

Example:
    net = ml.Model()
    net |= ml.Linear(1)(input="x", output="u")
    net |= ml.Sum()(input="u", output="total")
    model = ml.Gradient(net, of="total", wrt=["x"])
    print(model.output_keys)  # ['u', 'total', 'x.grad']

See docs/derivatives.md.)");
  module.def("Jvp", derivative_of<Jvp>, py::arg("model"), py::kw_only(), py::arg("of"),
             py::arg("wrt"), R"(Returns a model with the derivative of an output in a direction.

The model becomes a part. Each key of `wrt` has an input "<key>.tangent" of its shape, and the
output "<of>.tangent" is the Jacobian times them.

Args:
    model: a model that is not yet a part.
    of: the name of an output.
    wrt: names of inputs: data or parameters. They may contain the wildcards * and ?.

Returns:
    A new Model.

Raises:
    NameError: If a name does not exist, or a pattern matches no input.

Example:
    net = ml.Model()
    net |= ml.Linear(2)(input="x", output="y")
    model = ml.Jvp(net, of="y", wrt=["x"])

See docs/derivatives.md.)");
  module.def("Hvp", derivative_of<Hvp>, py::arg("model"), py::kw_only(), py::arg("of"),
             py::arg("wrt"), R"(Returns a model with the product of a Hessian and vectors.

The model becomes a part. Each key of `wrt` has an input "<key>.tangent", the vector, and an output
"<key>.hvp" of its shape. The Hessian is never made.

Args:
    model: a model that is not yet a part.
    of: the name of an output, a scalar.
    wrt: names of inputs: data or parameters. They may contain the wildcards * and ?.

Returns:
    A new Model.

Raises:
    NameError: If a name does not exist, or a pattern matches no input.
    ShapeError: If `of` is not a scalar.

Example:
    net = ml.Model()
    net |= ml.Linear(1)(input="x", output="y")
    net |= ml.Sum()(input="y", output="total")
    model = ml.Hvp(net, of="total", wrt=["x", "linear.weight"])

See docs/derivatives.md.)");
  module.def("Jacobian", jacobian_model, py::arg("model"), py::kw_only(), py::arg("of"),
             py::arg("wrt"), py::arg("mode") = "reverse",
             R"(Returns a model with the Jacobian of an output.

The model becomes a part. Each key of `wrt` has an output "<key>.jacobian" of shape [*of, *key].

Args:
    model: a model that is not yet a part.
    of: the name of an output of known rank.
    wrt: names of inputs: data or parameters. They may contain the wildcards * and ?.
    mode: "reverse": a gradient for each element of the output; "forward": a jvp for each element of
        the inputs.

Returns:
    A new Model.

Raises:
    NameError: If a name does not exist, a pattern matches no input, or the mode is unknown.

Example:
    net = ml.Model()
    net |= ml.Linear(2)(input="x", output="y")
    model = ml.Jacobian(net, of="y", wrt=["x"])
    print(model.output_keys)  # ['y', 'x.jacobian']

See docs/derivatives.md.)");
  module.def("Hessian", derivative_of<Hessian>, py::arg("model"), py::kw_only(), py::arg("of"),
             py::arg("wrt"), R"(Returns a model with the Hessian of a scalar output.

The model becomes a part. Each key of `wrt` has an output "<key>.hessian" of shape [*key, *key], and
each pair of different keys an output "<key>.<other>.hessian" of shape [*key, *other].

Args:
    model: a model that is not yet a part.
    of: the name of an output, a scalar.
    wrt: names of inputs of known rank: data or parameters. They may contain the wildcards * and ?.

Returns:
    A new Model.

Raises:
    NameError: If a name does not exist, or a pattern matches no input.
    ShapeError: If `of` is not a scalar.

Example:
    net = ml.Model()
    net |= ml.Linear(1)(input="x", output="y")
    net |= ml.Sum()(input="y", output="total")
    model = ml.Hessian(net, of="total", wrt=["linear.weight"])

See docs/derivatives.md.)");
}

}  // namespace mithril::python
