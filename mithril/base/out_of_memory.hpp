// Translates std::bad_alloc into a Mithril error, for the functions that users call.
#pragma once

namespace mithril {

// Throws OutOfMemoryError E1102, which is allocated at startup, so that throwing needs no memory.
[[noreturn]] void raise_out_of_memory();
// The same with ErrorDetails::wrote_inputs.
[[noreturn]] void raise_out_of_memory_after_writing();

}  // namespace mithril
