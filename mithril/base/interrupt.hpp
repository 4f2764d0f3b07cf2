// Ends long work on request, as Ctrl-C does in Python.
#pragma once

namespace mithril {

// Thrown on the thread whose work ends. All objects are as they were before the call. Not a
// std::exception: code that handles errors does not catch it.
struct Interrupted {};

// Returns whether the work of the calling thread has to end.
using InterruptCallback = bool (*)();
// Sets the callback of this process; null, the default: no work is interrupted. A thread that
// composes, compiles or evaluates calls it at most every 50 ms.
void set_interrupt_callback(InterruptCallback callback);

// Throws Interrupted if the callback returns true. Long work calls it between its pieces:
// relations, nodes, steps.
void check_interrupt();

// During its lifetime check_interrupt does not interrupt this thread. A later call does.
class InterruptsHeld {
 public:
  InterruptsHeld();
  ~InterruptsHeld();
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;
};

}  // namespace mithril
