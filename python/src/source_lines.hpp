// The lines of the user's program that add parts to models, for the viewer.
#pragma once

#include <memory>
#include <string>

#include "convert.hpp"
#include "mithril/model/composite.hpp"

namespace mithril::python {

// The folder of the Python files of the library.
inline std::string library_folder;

// At the import of the module.
inline void find_library_folder() {
  const auto package = py::module_::import("mithril").attr("__file__").cast<std::string>();
  library_folder = package.substr(0, package.rfind('/') + 1);
}

// The line of the user's program that calls this function of Python, past the check of its
// arguments; null for a line of the library.
inline std::shared_ptr<const SourceLine> calling_line() {
  const auto owned = [](auto* object) {
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(object));
  };
  py::object frame =
      py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame) {
    auto* at = reinterpret_cast<PyFrameObject*>(frame.ptr());
    const py::object name = owned(PyFrame_GetCode(at)).attr("co_filename");
    py::detail::make_caster<std::string> text;
    if (!text.load(name, false)) return nullptr;  // it is not UTF-8
    auto file = py::detail::cast_op<std::string>(text);
    if (!file.starts_with(library_folder)) {
      return std::make_shared<const SourceLine>(
          SourceLine{.file = std::move(file), .line = PyFrame_GetLineNumber(at)});
    }
    if (!file.ends_with("/_internal/arguments.py")) return nullptr;
    frame = owned(PyFrame_GetBack(at));
  }
  return nullptr;
}

// Notes the line that has added a part.
inline void note_line(const std::shared_ptr<Part>& part) {
  if (part->owner && !source_of(*part)) source_of(*part) = calling_line();
}

// `add` adds the part of the call to the model.
template <typename Add>
void add_with_line(const Add& add, Model& model, const Call& call) {
  add(model, call);
  note_line(call.part);
}

}  // namespace mithril::python
