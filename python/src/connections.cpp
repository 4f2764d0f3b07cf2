// Connections, their arithmetic, and ports that are described before they belong to a model.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/base/error.hpp"
#include "mithril/model/composite.hpp"

namespace mithril::python {
namespace {

Connection io_key(const std::optional<std::string>& name, py::handle value, py::handle shape,
                  py::handle type, std::optional<bool> differentiable,
                  std::optional<std::pair<double, double>> interval) {
  IOKey key{.name = name.value_or("")};
  if (py::isinstance<Tensor>(value)) {
    key.tensor = value.cast<Tensor>();
  } else if (has_dlpack(value)) {
    key.tensor = tensor_of(value);
  } else if (!value.is_none()) {
    key.value = datum_of(value);
  }
  if (!shape.is_none()) key.shape = shape_of(shape);
  if (!type.is_none()) key.type = port_type_of(type);
  key.differentiable = differentiable;
  key.interval = interval;
  return Connection(key);
}

// A list of numbers selects like an array: x[[0, 2]] is rows 0 and 2, x[0, 2] one element.
Binding item_of(py::handle item) {
  Binding read = binding_of(item);
  if (!py::isinstance<py::list>(item) || !std::holds_alternative<Datum>(read.held())) return read;
  return tensor_of(py::module_::import("numpy").attr("asarray")(item));
}

Connection indexed(const Connection& x, py::handle index) {
  std::vector<Binding> items;
  if (py::isinstance<py::tuple>(index)) {
    for (const py::handle item : index) items.push_back(item_of(item));
  } else {
    items.push_back(item_of(index));
  }
  return x.at(items);
}

using Operation = std::pair<const char*, const char*>;
constexpr Operation binary[] = {{"__add__", "add"},
                                {"__sub__", "subtract"},
                                {"__mul__", "multiply"},
                                {"__truediv__", "divide"},
                                {"__floordiv__", "floor_divide"},
                                {"__mod__", "remainder"},
                                {"__pow__", "power"},
                                {"__matmul__", "matmul"},
                                {"__gt__", "greater"},
                                {"__ge__", "greater_equal"},
                                {"__lt__", "less"},
                                {"__le__", "less_equal"},
                                {"__eq__", "equal"},
                                {"__ne__", "not_equal"},
                                {"__lshift__", "shift_left"},
                                {"__rshift__", "shift_right"}};
constexpr Operation reflected[] = {
    {"__radd__", "add"},           {"__rsub__", "subtract"},          {"__rmul__", "multiply"},
    {"__rtruediv__", "divide"},    {"__rfloordiv__", "floor_divide"}, {"__rpow__", "power"},
    {"__rmod__", "remainder"},     {"__rmatmul__", "matmul"},         {"__rlshift__", "shift_left"},
    {"__rrshift__", "shift_right"}};
struct BitOperation {
  const char *method, *reflected, *doc;
  Connection (*apply)(const Binding&, const Binding&);
};
constexpr BitOperation bits[] = {
    {"__and__", "__rand__",
     "Applies the op bitwise_and to ints, and logical_and to other operands.", bit_and},
    {"__or__", "__ror__", "Applies the op bitwise_or to ints, and logical_or to other operands.",
     bit_or},
    {"__xor__", "__rxor__",
     "Applies the op bitwise_xor to ints, and logical_xor to other operands.", bit_xor}};
constexpr Operation unary[] = {
    {"__neg__", "negate"}, {"__abs__", "abs"}, {"__invert__", "bitwise_not"}};

// A method with the text of its docstring. The example calls it as `call` says.
struct Method {
  const char *name, *op, *text, *call;
};
constexpr Method comparisons[] = {
    {"eq", "equal", "Returns whether elements are equal to those of another operand.", "x.eq(0.0)"},
    {"ne", "not_equal", "Returns whether elements differ from those of another operand.",
     "x.ne(0.0)"}};
constexpr Method element_wise[] = {
    {"abs", "abs", "Returns the absolute value of each element.", "x.abs()"},
    {"sqrt", "sqrt", "Returns the square root of each element.", "x.sqrt()"},
    {"exp", "exp", "Returns the exponential of each element.", "x.exp()"},
    {"sin", "sin", "Returns the sine of each element, an angle in radians.", "x.sin()"},
    {"cos", "cos", "Returns the cosine of each element, an angle in radians.", "x.cos()"},
    {"floor", "floor", "Returns the largest integer that is at most each element.", "x.floor()"}};
constexpr Method facts[] = {
    {"item", "item", "Returns the only element of a tensor as a value.", "x.sum().item()"},
    {"dtype", "dtype", "Returns the dtype of a tensor as a value.", "x.dtype()"},
    {"len", "length", "Returns the size of the first axis, or the number of items of a tuple.",
     "x.len()"}};
constexpr Method reductions[] = {
    {"sum", "sum", "Returns the sum of the elements over axes.", "x.sum(axis=-1)"},
    {"mean", "mean", "Returns the mean of the elements over axes.", "x.mean(axis=-1)"},
    {"max", "max", "Returns the largest element over axes.", "x.max(axis=-1)"},
    {"min", "min", "Returns the least element over axes.", "x.min(axis=-1)"},
    {"prod", "prod", "Returns the product of the elements over axes.", "x.prod(axis=-1)"}};

std::string doc_of(const Method& method, const std::string& rules, const std::string& errors) {
  return method.text + rules + "\n\nRaises:\n" + errors +
         "\n\nExample:\n    x = ml.IOKey(\"x\", shape=[\"N\", 4])\n" +
         "    model = ml.Model.create(y=" + method.call + ")";
}

}  // namespace

void bind_connections(py::module_& module) {
  py::class_<Connection> connection(module, "Connection",
                                    R"(A value of a model that is being composed.

Arithmetic, comparisons, indexing and methods add ops to the model of the connection:
`+ - * / // % ** @`, `> >= < <= == !=`, `& | ^ ~ << >>`, `x[1:, None]`. An operand may be a
connection, a number, an array or a Tensor. `Model.create` makes a model of the result.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    scaled = (x - x.mean(axis=-1, keepdim=True)) / x.var(axis=-1, keepdim=True).sqrt()
    normalize = ml.Model.create(y=scaled)

See docs/semantics.md.)");
  for (const auto& [method, op] : binary) {
    const std::string doc = "Applies the op " + std::string(op) + " to both operands.";
    connection.def(
        method,
        [op = op](const Connection& a, py::handle b) {
          return apply(op, {a, binding_of(b)});
        },
        py::arg("other"), doc.c_str());
  }
  for (const auto& [method, op] : reflected) {
    connection.def(
        method,
        [op = op](const Connection& a, py::handle b) {
          return apply(op, {binding_of(b), a});
        },
        py::arg("other"));
  }
  for (const BitOperation& each : bits) {
    const auto function = each.apply;
    connection.def(
        each.method,
        [function](const Connection& a, py::handle b) { return function(a, binding_of(b)); },
        py::arg("other"), each.doc);
    connection.def(
        each.reflected,
        [function](const Connection& a, py::handle b) { return function(binding_of(b), a); },
        py::arg("other"));
  }
  for (const Method& method : comparisons) {
    const std::string doc = doc_of(method, "\n\nThe shapes are broadcast. The result is bool.",
                                   "    ShapeError: If the shapes do not broadcast.");
    connection.def(
        method.name,
        [op = method.op](const Connection& a, py::handle b) {
          return apply(op, {a, binding_of(b)});
        },
        py::arg("other"), doc.c_str());
  }
  const auto bind_unary = [&](const Method& method, const char* rules, const char* errors) {
    const std::string doc = doc_of(method, rules, errors);
    connection.def(
        method.name, [op = method.op](const Connection& a) { return apply(op, {a}); }, doc.c_str());
  };
  for (const Method& method : element_wise)
    bind_unary(method, " The shape stays.", "    TypeError: If the elements are not numbers.");
  for (const Method& method : facts)
    bind_unary(method, "",
               "    TypeError: If the connection has no such fact.\n"
               "    ShapeError: If `item` is read of a tensor with several elements.");
  for (const auto& [method, op] : unary) {
    const std::string doc = "Applies the op " + std::string(op) + ".";
    connection.def(
        method, [op = op](const Connection& a) { return apply(op, {a}); }, doc.c_str());
  }
  for (const Method& method : reductions) {
    const std::string doc =
        doc_of(method,
               "\n\nArgs:\n    axis: an int, a tuple of ints, or None for all axes.\n"
               "    keepdim: whether the axes stay, with size 1.",
               "    ValueError: If an axis is out of range.\n    TypeError: If the elements are "
               "not numbers.");
    connection.def(
        method.name,
        [op = method.op](const Connection& a, py::handle axis, bool keepdim) {
          return apply(op, {a, binding_of(axis), keepdim});
        },
        py::arg("axis") = py::none(), py::arg("keepdim").noconvert() = false, doc.c_str());
  }
  connection
      .def(
          "cast",
          [](const Connection& a, py::handle dtype) {
            return a.cast(py::isinstance<Connection>(dtype) ? binding_of(dtype)
                                                            : Binding(dtype_of_object(dtype)));
          },
          py::arg("dtype"),
          R"(Returns the elements, converted to a dtype. The shape stays.

Args:
    dtype: ml.float32, "float32", a dtype of NumPy, or a connection that holds a dtype.

Raises:
    NameError: If the dtype is unknown.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    model = ml.Model.create(y=x.cast(ml.float16)))")
      // By identity: == composes an op.
      .def("__hash__",
           [](const py::object& self) {
             return py::hash(py::int_(reinterpret_cast<size_t>(self.ptr())));
           })
      .def("__bool__", [](const Connection&) -> bool {
        raise({.kind = ErrorKind::type,
               .code = "E0375",
               .message = "a connection is neither true nor false while composing",
               .help = "choose with Where, and write & | ~ in place of and, or, not"});
      });
  // NumPy then calls our operators for array + connection.
  connection.attr("__array_ufunc__") = py::none();
  connection
      .def(
          "var",
          [](const Connection& a, py::handle axis, bool keepdim, double correction) {
            return a.var(binding_of(axis), keepdim, correction);
          },
          py::arg("axis") = py::none(), py::arg("keepdim").noconvert() = false,
          py::arg("correction") = 0.0,
          R"(Returns the variance over `axis`: an int, a tuple of ints, or None for all axes.

The sum of squares is divided by the number of elements minus `correction`.

Raises:
    ValueError: If an axis is out of range.
    TypeError: If the elements are not numbers.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    model = ml.Model.create(y=x.var(axis=-1, correction=1)))")
      .def("__getitem__", indexed, py::arg("index"))
      .def("__iter__",
           [](const Connection&) -> py::object {
             raise({.kind = ErrorKind::type,
                    .code = "E0374",
                    .message = "a connection cannot be iterated over",
                    .help = "index it: x[0]; x.shape[0] is its first size"});
           })
      .def_property_readonly("shape", &Connection::shape,
                             "The sizes, as a connection that holds a tuple of ints.")
      .def_property_readonly("T", &Connection::T, "The tensor with all axes in reverse order.")
      .def(
          "size",
          [](const Connection& a, py::handle dim) {
            return apply("size", {a, binding_of(dim)});
          },
          py::arg("dim") = py::none(),
          R"(Returns the size of a dim as a value, or the number of elements for None.

Raises:
    ValueError: If the dim is out of range.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    model = ml.Model.create(rows=x.size(0)))")
      .def(
          "reshape",
          [](const Connection& a, py::handle shape) {
            return apply("reshape", {a, binding_of(shape)});
          },
          py::arg("shape"), R"(Returns the elements in another shape. The size -1 is inferred.

Args:
    shape: a tuple of ints, of which one may be -1, or a connection that holds one.

Raises:
    ShapeError: If the shape has another number of elements.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    model = ml.Model.create(y=x.reshape((-1, 2, 2))))")
      .def(
          "tensor", &Connection::tensor,
          R"(Returns a value as a tensor: [] for a number, [N] for a tuple. A tensor stays as it is.

Raises:
    TypeError: If the value is neither a number nor a tuple of numbers.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    model = ml.Model.create(sizes=x.shape.tensor()))")
      .def(
          "transpose",
          [](const Connection& a, py::handle axes) { return a.transpose(binding_of(axes)); },
          py::arg("axes") = py::none(),
          R"(Returns the tensor with its axes, and their sizes, in this order. None reverses them.

Raises:
    ValueError: If an axis is out of range, or is named twice.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    model = ml.Model.create(y=x.transpose((1, 0))))")
      .def(
          "clamp",
          [](const Connection& a, py::handle low, py::handle high) {
            return a.clamp(binding_of(low), binding_of(high));
          },
          py::arg("min_val"), py::arg("max_val"),
          R"(Returns the elements, limited to the range [min_val, max_val]. The shape stays.

Raises:
    TypeError: If the elements or a bound are not numbers.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    model = ml.Model.create(y=x.clamp(0.0, 6.0)))")
      .def_property_readonly("name", &Connection::name,
                             "The key in the model, or the path of the port.")
      .def_property_readonly(
          "known_shape", [](const Connection& a) { return sizes_of(a.known_shape()); },
          "The shape that is known now, in the form of `Model.get_shapes`: [\"N\", 64].")
      .def_property_readonly(
          "type_text",
          [](const Connection& a) { return to_string_kinds(find(a.wire()->type)->kinds); },
          "The type that is known now, such as \"float tensor\" or \"bool tensor or int tensor\".")
      .def_property_readonly(
          "dims",
          [](const Connection& a) -> py::object {
            const KnownShape shape = a.known_shape();
            if (shape.has_run()) return py::none();
            py::list sizes;
            for (const KnownDim& dim : shape.head()) {
              const auto number = dim.number();
              sizes.append(number ? py::object(py::int_(*number)) : py::none());
            }
            return py::object(std::move(sizes));
          },
          "The known sizes, with None for each unknown one. None if the rank is unknown.")
      .def("__repr__", [](const Connection& a) {
        return "<Connection " + a.name() + " " + to_string(a.known_shape()) + ">";
      });
  module.def("IOKey", io_key, py::arg("name") = py::none(), py::arg("value") = py::none(),
             py::arg("shape") = py::none(), py::arg("type") = py::none(),
             py::arg("differentiable") = py::none(), py::arg("interval") = py::none(),
             R"(Returns a connection that describes a port before it belongs to a model.

Args:
    name: the key that the port gets in the model.
    value: a value or a tensor that the port holds.
    shape: the sizes: ints, names, None for any size, ... for any number of sizes.
    type: the type, such as float, ml.Tensor[int] or int | float.
    differentiable: whether the port is differentiable. An input declared False is data, or a frozen
        parameter if it is one of a layer. A canonical input declared True is a parameter.
    interval: (low, high), from which `get_parameters` draws a parameter uniformly.

Raises:
    ShapeError: If a size is negative.
    TypeError: If the value or the type is of another kind.
    ValueError: If the interval ends before it begins.

Example:
    x = ml.IOKey("x", shape=["N", 4])
    scale = ml.IOKey("scale", shape=[4], interval=(0.5, 1.5))
    model = ml.Model.create(y=x * scale)

See docs/semantics.md.)");
}

}  // namespace mithril::python
