// Ctrl-C while the core works: Python's signal handlers run, and their exception ends the work.
#include "mithril/base/interrupt.hpp"

#include <utility>

#include "process.hpp"

namespace mithril::python {
namespace {

// Signals are handled on the main thread only. Written when the module is imported.
unsigned long main_thread = 0;

// The exception of a handler, kept until the call returns to Python. Only the main thread uses
// it.
struct Raised {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
} raised;

bool handler_raises() {
  if (PyThread_get_thread_ident() != main_thread) return false;
  const InterpreterLocked lock;
  if (PyErr_CheckSignals() == 0) return false;
  PyErr_Fetch(&raised.type, &raised.value, &raised.trace);
  return true;
}

}  // namespace

void bind_interrupt() {
  main_thread =
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  set_interrupt_callback(handler_raises);
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Interrupted&) {
      const Raised now = std::exchange(raised, {});
      PyErr_Restore(now.type, now.value, now.trace);
    }
  });
}

}  // namespace mithril::python
