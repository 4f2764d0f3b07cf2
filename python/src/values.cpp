// Values: what is no tensor.
#include "convert.hpp"

#include "mithril/base/names.hpp"

namespace mithril::python {
namespace {

bool is_numpy_number(py::handle object) {
  return py::hasattr(object, "dtype") && py::hasattr(object, "item") && py::hasattr(object, "ndim");
}

DimSpec dim_spec(py::handle item) {
  if (item.is_none()) return Any{};
  if (py::isinstance<py::ellipsis>(item)) return Rest{};
  if (py::isinstance<py::str>(item)) return item.cast<std::string>();
  if (PyIndex_Check(item.ptr()) && !py::isinstance<py::bool_>(item))
    return py::int_(py::reinterpret_borrow<py::object>(item)).cast<int64_t>();
  if (py::isinstance<py::tuple>(item) && py::len(item) == 2 &&
      py::isinstance<py::ellipsis>(item[py::int_(1)])) {
    return Rest{item[py::int_(0)].cast<std::string>()};
  }
  wrong_type(item, "an int, a name, None, ... or (name, ...)");
}

}  // namespace

void wrong_type(py::handle object, const std::string& expected) {
  raise({.kind = ErrorKind::type,
         .code = "E0390",
         .message = "this kind of object does not fit here",
         .facts = {
             {"expected", expected, ""},
             {"got", py::str(py::repr(object)), py::str(py::type::of(object).attr("__name__"))}}});
}

Datum datum_of(py::handle object) {
  if (object.is_none()) return Datum();
  if (py::isinstance<py::bool_>(object)) return object.cast<bool>();
  if (py::isinstance<py::int_>(object)) return object.cast<int64_t>();
  if (py::isinstance<py::float_>(object)) return object.cast<double>();
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (py::isinstance<DType>(object)) return object.cast<DType>();
  if (py::isinstance<py::ellipsis>(object)) return Ellipsis{};
  if (py::isinstance<py::slice>(object)) {
    return Slice{datum_of(object.attr("start")), datum_of(object.attr("stop")),
                 datum_of(object.attr("step"))};
  }
  if (py::isinstance<py::tuple>(object) || py::isinstance<py::list>(object)) {
    Tuple items;
    for (const py::handle item : object) items.push_back(datum_of(item));
    return Datum(std::move(items));
  }
  if (is_numpy_number(object) && object.attr("ndim").cast<int>() == 0)
    return datum_of(object.attr("item")());
  wrong_type(object, "a value: None, bool, int, float, str, dtype, tuple, list, slice or ...");
}

py::object object_of(const Datum& datum) {
  switch (datum.kind()) {
    case kind::none:
      return py::none();
    case kind::bool_value:
      return py::bool_(datum.flag());
    case kind::float_value:
      return py::float_(datum.real());
    case kind::string:
      return py::str(datum.text());
    case kind::dtype:
      return py::cast(datum.dtype());
    case kind::ellipsis:
      return py::ellipsis();
    default:
      break;
  }
  if (datum.kind() == kind::int_value) {
    const Dim dim = resolve(datum.dim());
    if (dim.is_constant()) return py::int_(dim.constant());
    return py::str(to_string(dim));
  }
  if (datum.kind() == kind::slice) {
    const Slice& slice = datum.slice();
    return py::module_::import("builtins")
        .attr("slice")(object_of(slice.start), object_of(slice.stop), object_of(slice.step));
  }
  py::list items;
  for (const Datum& item : datum.tuple()) items.append(object_of(item));
  return py::tuple(items);
}

std::shared_ptr<py::function> shared_function(py::function function) {
  return {new py::function(std::move(function)), [](py::function* held) {
            if (!Py_IsInitialized()) return;
            const py::gil_scoped_acquire lock;
            delete held;
          }};
}

void refuse_unknown(const py::kwargs& given, const std::string& function,
                    const std::vector<std::string>& known) {
  for (const auto& [key, value] : given)
    unknown_name(ErrorKind::name, "E0605", "argument of " + function, key.cast<std::string>(), "",
                 known);
}

DType dtype_of_object(py::handle object) {
  if (py::isinstance<DType>(object)) return object.cast<DType>();
  if (py::isinstance<py::str>(object)) return parse_dtype(object.cast<std::string>());
  const py::object name = py::getattr(py::module_::import("numpy").attr("dtype")(object), "name");
  return parse_dtype(name.cast<std::string>());
}

ShapeSpec shape_of(py::handle object) {
  if (!py::isinstance<py::sequence>(object) || py::isinstance<py::str>(object))
    wrong_type(object, "a list of dims");
  std::vector<DimSpec> dims;
  for (const py::handle item : object) dims.push_back(dim_spec(item));
  return ShapeSpec(std::move(dims));
}

Kinds kinds_of(py::handle object) {
  if (py::hasattr(object, "__mithril_kinds__"))
    return object.attr("__mithril_kinds__").cast<Kinds>();
  const py::module_ builtins = py::module_::import("builtins");
  const std::pair<const char*, Kinds> names[] = {
      {"bool", kind::bool_value}, {"int", kind::int_value}, {"float", kind::float_value},
      {"str", kind::string},      {"tuple", kind::tuple},   {"list", kind::tuple},
      {"slice", kind::slice}};
  for (const auto& [name, kinds] : names) {
    if (object.is(builtins.attr(name))) return kinds;
  }
  if (object.is_none()) return kind::none;
  if (py::hasattr(object, "__args__")) {  // int | float
    Kinds kinds = 0;
    for (const py::handle item : object.attr("__args__"))
      kinds = static_cast<Kinds>(kinds | kinds_of(item));
    return kinds;
  }
  wrong_type(object,
             "a type: Tensor[float], Tensor, int, float, bool, str, tuple, or these joined by |");
}

void bind_values(py::module_& module) {
  py::enum_<DType> dtype(module, "dtype", "The element type of a tensor.");
  for (const DType value : all_dtypes) {
    const std::string text(name(value));
    dtype.value(text.c_str(), value);
  }
  module.attr("_kinds") =
      py::dict(py::arg("bool") = kind::bool_tensor, py::arg("int") = kind::int_tensor,
               py::arg("float") = kind::float_tensor, py::arg("any") = kind::tensor);
}

}  // namespace mithril::python
