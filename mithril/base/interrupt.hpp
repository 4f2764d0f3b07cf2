// Ending long work because somebody asks for it, as Ctrl-C does in Python.
#pragma once

namespace mithril {

// Thrown to end what runs. It is no exception of std, so that nobody who handles errors takes it
// for one; objects are as they were before the call.
struct Interrupted {};

// Whether the work of this thread is to end. Asked on the thread that works, about every 50 ms.
using InterruptQuestion = bool (*)();
// Of this process; null, as in a C++ program that says nothing: nobody is asked, and signals do
// what they do.
void set_interrupt_question(InterruptQuestion question);

// Long work calls it between its pieces: relations, nodes, steps. Throws Interrupted.
void check_interrupt();

}  // namespace mithril
