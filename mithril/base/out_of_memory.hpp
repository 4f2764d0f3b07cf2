// What std::bad_alloc is outside of C++, and after a call has begun to write.
#pragma once

#include <new>

#include "mithril/base/error.hpp"

namespace mithril {

// OutOfMemoryError E1102, which is allocated at startup.
const Error& out_of_memory_error();
// Throws it with ErrorDetails::wrote_inputs. Throwing needs no memory.
[[noreturn]] void raise_out_of_memory_after_writing();

// Calls a function after inputs were written to.
template <typename Call>
auto after_writing(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    raise_out_of_memory_after_writing();
  }
}

}  // namespace mithril
