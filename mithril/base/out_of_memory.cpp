#include "mithril/base/out_of_memory.hpp"

#include <exception>
#include <new>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

std::exception_ptr make_error(bool wrote_inputs) {
  return std::make_exception_ptr(OutOfMemoryError({.kind = ErrorKind::out_of_memory,
                                                   .code = "E1102",
                                                   .message = "there is not enough memory",
                                                   .wrote_inputs = wrote_inputs}));
}

const std::exception_ptr error = make_error(false);
const std::exception_ptr error_after_writing = make_error(true);

// Null before the library is initialised.
[[noreturn]] void rethrow(const std::exception_ptr& made) {
  if (!made) throw std::bad_alloc();
  std::rethrow_exception(made);
}

}  // namespace

void raise_out_of_memory() { rethrow(error); }
void raise_out_of_memory_after_writing() { rethrow(error_after_writing); }

}  // namespace mithril
