// The lock of the interpreter, in threads that outlive it. When the program ends, Python ends each
// thread that waits for the lock, by unwinding its stack. C++ aborts the process then. Such a
// thread waits here for the end of the process instead, as Python 3.14 has it.
#pragma once

#include <Python.h>

#include <cxxabi.h>

namespace mithril::python {

// Whether the program ends: no thread gets the lock any more.
bool is_interpreter_ending();

// Does not return.
[[noreturn]] void wait_for_the_end();

// Releases the lock during its lifetime.
class InterpreterUnlocked {
 public:
  InterpreterUnlocked();
  ~InterpreterUnlocked();
  InterpreterUnlocked(const InterpreterUnlocked&) = delete;
  InterpreterUnlocked& operator=(const InterpreterUnlocked&) = delete;

 private:
  const bool was_ending_;  // this thread ends the interpreter, and has the lock until it is done
  PyThreadState* const thread_;
};

// Holds the lock during its lifetime, in any thread.
class InterpreterLocked {
 public:
  InterpreterLocked();
  ~InterpreterLocked() { PyGILState_Release(state_); }
  InterpreterLocked(const InterpreterLocked&) = delete;
  InterpreterLocked& operator=(const InterpreterLocked&) = delete;

 private:
  PyGILState_STATE state_;
};

// Runs Python in a thread that may have to end while it does: Python's code lets other threads have
// the lock meanwhile.
template <typename Call>
auto calling_python(const Call& call) {
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    wait_for_the_end();
  }
}

}  // namespace mithril::python
