// std::bad_alloc as an error of Mithril's, for the functions that users call.
#pragma once

namespace mithril {

// Throws OutOfMemoryError E1102. It was made beforehand, so that this needs no memory.
[[noreturn]] void raise_out_of_memory();
// The same, where it can no longer be as if the call had not been made: the error says so.
[[noreturn]] void raise_out_of_memory_after_writing();

}  // namespace mithril
