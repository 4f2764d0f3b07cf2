#include "interpreter_lock.hpp"

#include <unistd.h>

namespace mithril::python {
namespace {

// Per thread. Used by the thread that ends the interpreter.
thread_local int unlocked_at_the_end = 0;

// Calls a function that takes the lock.
template <typename Take>
void take_lock(bool may_have_it, const Take& take) {
  if (!may_have_it && is_interpreter_ending()) wait_for_the_end();
  try {
    take();
  } catch (const abi::__forced_unwind&) {  // the end began while it waited
    wait_for_the_end();
  }
}

}  // namespace

void wait_for_the_end() {
  while (true) pause();
}

bool is_interpreter_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

InterpreterUnlocked::InterpreterUnlocked()
    : was_ending_(is_interpreter_ending()), thread_(PyEval_SaveThread()) {
  unlocked_at_the_end += was_ending_;
}

InterpreterUnlocked::~InterpreterUnlocked() {
  unlocked_at_the_end -= was_ending_;
  take_lock(was_ending_, [&] { PyEval_RestoreThread(thread_); });
}

InterpreterLocked::InterpreterLocked() {
  take_lock(unlocked_at_the_end > 0 || PyGILState_Check(), [&] { state_ = PyGILState_Ensure(); });
}

}  // namespace mithril::python
