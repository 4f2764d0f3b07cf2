// Errors: each error class is a Python class that also derives from the matching built-in class.
#include <pybind11/stl.h>

#include <algorithm>

#include "convert.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"

namespace mithril::python {
namespace {

constexpr ErrorKind all_kinds[] = {
    ErrorKind::connection, ErrorKind::name,     ErrorKind::shape,         ErrorKind::type,
    ErrorKind::value,      ErrorKind::gradient, ErrorKind::parse,         ErrorKind::input,
    ErrorKind::state,      ErrorKind::backend,  ErrorKind::out_of_memory, ErrorKind::distributed};

PyObject* base_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::name:
      return PyExc_LookupError;
    case ErrorKind::type:
      return PyExc_TypeError;
    case ErrorKind::backend:
    case ErrorKind::distributed:
      return PyExc_RuntimeError;
    case ErrorKind::out_of_memory:
      return PyExc_MemoryError;
    default:
      return PyExc_ValueError;
  }
}

const char* doc_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::connection:
      return "Connections or parts that do not go together.";
    case ErrorKind::name:
      return "A name that is unknown, taken or malformed.";
    case ErrorKind::shape:
      return "Ranks or dims that do not fit.";
    case ErrorKind::type:
      return "A dtype or a kind of object that does not fit.";
    case ErrorKind::value:
      return "A value that an op, a model or an option cannot take.";
    case ErrorKind::gradient:
      return "A gradient that does not exist.";
    case ErrorKind::parse:
      return "Text that cannot be read: JSON, a shape, a formula.";
    case ErrorKind::input:
      return "Parameters or data of a call that do not fit the compiled model.";
    case ErrorKind::state:
      return "A state that is missing or does not fit the compiled model.";
    case ErrorKind::backend:
      return "A failure of a backend, of the device or of a file.";
    case ErrorKind::out_of_memory:
      return "More memory is needed than there is, or than a limit allows.";
    case ErrorKind::distributed:
      return "A group of processes that failed, or whose processes disagree.";
  }
  return nullptr;
}

// The classes live as long as the process: a translator may run while the interpreter shuts down.
py::object* classes[std::size(all_kinds)];

// NameErrors about attributes, which Python requires to be AttributeErrors, too.
py::object* attribute_class;

py::object* new_class(const char* name, const char* doc, const py::tuple& bases) {
  const std::string full = "mithril." + std::string(name);
  const std::string text = std::string(doc) + "\n\nSee docs/errors.md.";
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), text.c_str(), bases.ptr(), nullptr);
  if (!made) throw py::error_already_set();
  return new py::object(py::reinterpret_steal<py::object>(made));
}

// Takes the error that an operator written in Python has left; null if there is none.
py::object taken_error() {
  if (!PyErr_Occurred()) return {};
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return py::reinterpret_steal<py::object>(value);
}

void set_error(const Error& error, const py::object& type, const std::string& text) {
  py::object cause = taken_error();
  const ErrorDetails& details = error.details();
  py::list facts;
  for (const Fact& fact : shown_facts(details))
    facts.append(py::make_tuple(fact.label, fact.text, fact.origin));
  py::object instance = type(py::str(text));
  instance.attr("code") = details.code;
  instance.attr("path") = details.path;
  instance.attr("port") = details.port;
  instance.attr("message") = details.message;
  instance.attr("facts") = facts;
  instance.attr("help") = details.help;
  if (cause) PyException_SetCause(instance.ptr(), cause.release().ptr());
  PyErr_SetObject(type.ptr(), instance.ptr());
}

void set_error(const Error& error) {
  set_error(error, *classes[static_cast<size_t>(error.kind())], error.what());
}

// Sets the error for lack of memory, or Python's MemoryError if there is no memory for that error.
void set_out_of_memory() {
  try {
    set_error(out_of_memory_error());
  } catch (...) {
    PyErr_Clear();
    PyErr_NoMemory();
  }
}

ErrorKind kind_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(all_kinds), std::end(all_kinds),
                                         [&](ErrorKind kind) { return class_name(kind) == name; });
  MITHRIL_CHECK(found != std::end(all_kinds), "an unknown class of errors");
  return *found;
}

}  // namespace

void raise_attribute_error(const Error& error) {
  std::string text = error.what();
  const std::string named = "mithril." + std::string(class_name(error.kind()));
  MITHRIL_CHECK(text.starts_with(named), "an error begins with its class");
  set_error(error, *attribute_class, text.replace(0, named.size(), "mithril.AttributeError"));
  throw py::error_already_set();
}

void rethrow_error_of_python(py::error_already_set& raised) {
  const py::object value = raised.value();
  for (const ErrorKind kind : all_kinds) {
    if (!py::isinstance(value, *classes[static_cast<size_t>(kind)])) continue;
    const auto text = [&](const char* name) { return value.attr(name).cast<std::string>(); };
    ErrorDetails details{.kind = kind, .code = text("code"), .path = text("path")};
    details.port = text("port");
    details.message = text("message");
    details.help = text("help");
    for (const py::handle fact : value.attr("facts")) {
      auto [label, said, origin] = fact.cast<std::tuple<std::string, std::string, std::string>>();
      details.facts.push_back({std::move(label), std::move(said), std::move(origin)});
    }
    raise(std::move(details));
  }
  throw std::move(raised);
}

void no_attribute(const std::string& message, const std::string& help) {
  raise_attribute_error(NameError({.code = "E0624", .message = message, .help = help}));
}

void bind_errors(py::module_& module) {
  static py::exception<Error> base(module, "Error", PyExc_Exception);
  for (const ErrorKind kind : all_kinds) {
    const std::string name(class_name(kind));
    const py::tuple bases = py::make_tuple(base, py::reinterpret_borrow<py::object>(base_of(kind)));
    py::object* made = new_class(name.c_str(), doc_of(kind), bases);
    classes[static_cast<size_t>(kind)] = made;
    module.attr(name.c_str()) = *made;
  }
  attribute_class =
      new_class("AttributeError", "An attribute that does not exist.",
                py::make_tuple(*classes[static_cast<size_t>(ErrorKind::name)],
                               py::reinterpret_borrow<py::object>(PyExc_AttributeError)));
  module.attr("AttributeError") = *attribute_class;
  base.attr("__module__") = "mithril";
  base.attr("__doc__") =
      "An error of Mithril: its attributes are code (\"E0201\"), path, port, message, facts and "
      "help.\n\nSee docs/errors.md.";
  module.def(
      "raise_error",
      [](const std::string& kind, const std::string& code, const std::string& message,
         const std::string& path, const std::vector<std::pair<std::string, std::string>>& facts,
         const std::string& help) {
        ErrorDetails details{.kind = kind_named(kind), .code = code, .path = path};
        details.message = message;
        details.help = help;
        for (const auto& [label, text] : facts) details.facts.push_back({label, text});
        raise(std::move(details));
      },
      py::arg("kind"), py::arg("code"), py::arg("message"), py::kw_only(), py::arg("path") = "",
      py::arg("facts") = std::vector<std::pair<std::string, std::string>>(), py::arg("help") = "",
      "For the Python half of the package: an error as those of the core, in the same rendering.");
  module.def(
      "unknown_name",
      [](const std::string& code, const std::string& what, const std::string& name,
         const std::vector<std::string>& known) {
        unknown_name(ErrorKind::name, code, what, name, "", known);
      },
      py::arg("code"), py::arg("what"), py::arg("name"), py::arg("known"),
      "NameError \"there is no <what> <name>\", with the known names and the nearest of them.");
  module.def(
      "unknown_member",
      [](const std::string& code, const std::string& owner, const std::string& what,
         const std::string& name, const std::vector<std::string>& known) {
        unknown_member(ErrorKind::name, code, owner, what, name, "", known);
      },
      py::arg("code"), py::arg("owner"), py::arg("what"), py::arg("name"), py::arg("known"),
      "NameError \"<owner> has no <what> <name>\", with the known names and the nearest of them.");
  module.def("no_attribute", no_attribute, py::arg("message"), py::arg("help") = "",
             "Raises AttributeError E0624.");
  module.def(
      "did_you_mean",
      [](const std::string& name, const std::vector<std::string>& known) {
        return did_you_mean(name, known);
      },
      py::arg("name"), py::arg("known"),
      "\"did you mean 'x'?\" of the nearest names, or \"\" if none is near.");
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      set_error(error);
    } catch (const std::bad_alloc&) {  // of all functions of the module
      set_out_of_memory();
    } catch (const py::cast_error&) {
      // pybind11's text names a C++ type. This also handles objects that were never initialised.
      set_error(TypeError({.code = "E0390", .message = "this kind of object does not fit here"}));
    }
  });
}

}  // namespace mithril::python
