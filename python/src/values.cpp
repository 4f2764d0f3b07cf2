// Values: everything that is not a tensor.
#include "convert.hpp"

#include <fmt/format.h>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

namespace mithril::python {
namespace {

constexpr int most_nested = 64;     // nested lists
constexpr size_t most_shown = 200;  // characters of an object in a message
thread_local int nested = 0;

bool is_numpy_number(py::handle object) {
  return !PyType_Check(object.ptr()) && py::hasattr(object, "dtype") &&
         py::hasattr(object, "item") && py::hasattr(object, "ndim");
}

// A class is often written where an object of it is needed.
std::string call_advice(py::handle object) {
  if (!PyType_Check(object.ptr())) return "";
  const std::string name = py::str(object.attr("__name__"));
  return in_quotes(name) + " is a class; " + name + "(...) makes an object of it";
}

int64_t integer_of(py::handle object) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow) {
    raise({.kind = ErrorKind::type,
           .code = "E0393",
           .message = "an int needs more than 64 bits",
           .facts = {{"got", shown(object), ""}}});
  }
  if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
  return value;
}

DimSpec dim_spec(py::handle item) {
  if (item.is_none()) return Any{};
  if (py::isinstance<py::ellipsis>(item)) return Rest{};
  if (py::isinstance<py::str>(item)) return text_of(item);
  if (is_int(item)) return int_of(item);
  if (py::isinstance<py::tuple>(item) && py::len(item) == 2 &&
      py::isinstance<py::ellipsis>(item[py::int_(1)])) {
    return Rest{text_of(item[py::int_(0)], "a name before ...")};
  }
  wrong_type(item, "an int, a name, None, ... or (name, ...)");
}

}  // namespace

std::string shown(py::handle object) {
  std::string text;
  try {
    text = py::str(py::repr(object)).cast<std::string>();
  } catch (const std::exception&) {  // its repr raised, or it is nested too deep
    return "an object whose repr raises";
  }
  if (text.size() <= most_shown) return text;
  size_t end = most_shown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

void wrong_type(py::handle object, const std::string& expected) {
  raise({.kind = ErrorKind::type,
         .code = "E0390",
         .message = "this kind of object does not fit here",
         .facts = {{"expected", expected, ""},
                   {"got", shown(object), py::str(py::type::of(object).attr("__name__"))}},
         .help = call_advice(object)});
}

void name_argument(const TypeError& error, const std::string& code, const std::string& function,
                   const std::string& argument) {
  ErrorDetails details = error.details();
  details.code = code;
  details.message = function + ": argument '" + argument + "' has the wrong kind";
  raise(std::move(details));
}

Nesting::Nesting() {
  if (nested == most_nested) {
    raise({.kind = ErrorKind::type,
           .code = "E0392",
           .message = fmt::format("lists are nested deeper than {} levels", most_nested),
           .help = "a list that contains itself has no end"});
  }
  ++nested;
}

Nesting::~Nesting() { --nested; }

bool is_int(py::handle object) {
  if (py::isinstance<py::int_>(object)) return !py::isinstance<py::bool_>(object);
  if (PyIndex_Check(object.ptr()) == 0) return false;
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!number) PyErr_Clear();  // that of an array
  return static_cast<bool>(number);
}

int64_t int_of(py::handle object) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!number) throw py::error_already_set();
  return integer_of(number);
}

std::string text_of(py::handle object, const std::string& expected) {
  if (!py::isinstance<py::str>(object)) wrong_type(object, expected);
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text) return {text, static_cast<size_t>(size)};
  PyErr_Clear();
  wrong_type(object, expected + ", in characters that UTF-8 has");
}

Datum datum_of(py::handle object) {
  if (object.is_none()) return Datum();
  if (py::isinstance<py::bool_>(object)) return object.cast<bool>();
  if (py::isinstance<py::int_>(object)) return integer_of(object);
  if (py::isinstance<py::float_>(object)) return object.cast<double>();
  if (py::isinstance<py::str>(object)) return text_of(object);
  if (py::isinstance<DType>(object)) return object.cast<DType>();
  if (py::isinstance<py::ellipsis>(object)) return Ellipsis{};
  const Nesting nesting;
  if (py::isinstance<py::slice>(object)) {
    return Slice{datum_of(object.attr("start")), datum_of(object.attr("stop")),
                 datum_of(object.attr("step"))};
  }
  if (py::isinstance<py::tuple>(object) || py::isinstance<py::list>(object)) {
    Tuple items;
    for (const py::handle item : object) items.push_back(datum_of(item));
    return Datum(std::move(items));
  }
  if (is_numpy_number(object) && py::object(object.attr("ndim")).equal(py::int_(0)))
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

std::shared_ptr<const PythonFunction> shared_function(py::function function) {
  return {new PythonFunction(std::move(function)), [](const PythonFunction* held) {
            if (!Py_IsInitialized()) return;
            const InterpreterLocked lock;
            delete held;
          }};
}

DType dtype_of_object(py::handle object) {
  if (py::isinstance<DType>(object)) return object.cast<DType>();
  if (py::isinstance<py::str>(object)) return parse_dtype(text_of(object));
  constexpr const char* expected = "a dtype: ml.float32, \"float32\" or one of NumPy";
  if (object.is_none()) wrong_type(object, expected);  // NumPy treats None as float64
  try {
    const py::object dtype = py::module_::import("numpy").attr("dtype")(object);
    return parse_dtype(text_of(dtype.attr("name")));
  } catch (const py::error_already_set&) {
    wrong_type(object, expected);
  }
}

ShapeSpec shape_of(py::handle object) {
  if (!py::isinstance<py::sequence>(object) || py::isinstance<py::str>(object))
    wrong_type(object, "a list of dims");
  std::vector<DimSpec> dims;
  for (const py::handle item : object) dims.push_back(dim_spec(item));
  return ShapeSpec(std::move(dims));
}

py::list sizes_of(const KnownShape& shape) {
  py::list sizes;
  const auto add = [&](const std::vector<KnownDim>& dims) {
    for (const KnownDim& dim : dims) {
      if (const auto number = dim.number()) {
        sizes.append(*number);
      } else {
        sizes.append(dim.has_name() ? py::object(py::str(to_string(dim))) : py::none());
      }
    }
  };
  add(shape.head());
  if (shape.has_run()) sizes.append(py::ellipsis());
  add(shape.tail());
  return sizes;
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
    const Nesting nesting;
    for (const py::handle item : object.attr("__args__"))
      kinds = static_cast<Kinds>(kinds | kinds_of(item));
    return kinds;
  }
  wrong_type(object,
             "a type: Tensor[float], Tensor, int, float, bool, str, tuple, or these joined by |");
}

PortType port_type_of(py::handle object) {
  if (!py::hasattr(object, "__mithril_dtype__")) return kinds_of(object);
  return object.attr("__mithril_dtype__").cast<DType>();
}

void bind_values(py::module_& module) {
  py::enum_<DType> dtype(module, "dtype", R"(The type of the elements of a tensor.

Each dtype is also a name of the package: `ml.float32` is `ml.dtype.float32`.

Example:
    assert ml.dtype("float32") == ml.float32
    backend = ml.CpuBackend(dtype=ml.float64)

See docs/semantics.md.)");
  for (const DType value : all_dtypes) {
    const std::string text(name(value));
    dtype.value(text.c_str(), value);
  }
  // pybind11's constructor would accept any number, including one that is not a dtype.
  for (const char* name : {"__init__", "__setstate__", "__getstate__"}) py::delattr(dtype, name);
  dtype
      .def(py::init([](py::handle value) {
             if (!is_int(value)) return dtype_of_object(value);
             for (const DType known : all_dtypes) {
               if (int_of(value) == static_cast<int64_t>(known)) return known;
             }
             wrong_type(value, "the name or the number of a dtype");
           }),
           py::arg("value"))
      .def_property_readonly(
          "name", [](DType value) { return std::string(name(value)); },
          "The name, such as \"float32\".")
      .def_property_readonly(
          "value", [](DType value) { return static_cast<int>(value); }, "The number of the dtype.")
      .def_property_readonly(
          "size", [](DType value) { return size_of(value); }, "The size of an element in bytes.")
      .def("__reduce__", [](py::handle self) {
        return py::make_tuple(py::type::of(self), py::make_tuple(self.attr("name")));
      });
  module.def(
      "wrong_argument",
      [](const std::string& function, const std::string& argument, const std::string& expected,
         py::handle given, const std::string& help, const std::string& code) {
        const std::string of_class = py::str(py::type::of(given).attr("__name__"));
        raise({.kind = ErrorKind::type,
               .code = code,
               .message = function + ": argument '" + argument + "' has the wrong kind",
               .facts = {{"expected", expected, ""}, {"got", shown(given), of_class}},
               .help = help.empty() ? call_advice(given) : help});
      },
      py::arg("function"), py::arg("argument"), py::arg("expected"), py::arg("given"),
      py::arg("help") = "", py::arg("code") = "E0395",
      "Raises TypeError E0395 with a text that shows the object.");
  module.attr("_kinds") =
      py::dict(py::arg("bool") = kind::bool_tensor, py::arg("int") = kind::int_tensor,
               py::arg("float") = kind::float_tensor, py::arg("any") = kind::tensor);
}

}  // namespace mithril::python
