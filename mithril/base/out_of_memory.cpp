#include "mithril/base/out_of_memory.hpp"

#include <exception>
#include <new>

namespace mithril {
namespace {

OutOfMemoryError make_error(bool wrote_inputs) {
  return OutOfMemoryError({.kind = ErrorKind::out_of_memory,
                           .code = "E1102",
                           .message = "there is not enough memory",
                           .wrote_inputs = wrote_inputs});
}

const OutOfMemoryError error = make_error(false);
const std::exception_ptr error_after_writing = std::make_exception_ptr(make_error(true));

}  // namespace

const Error& out_of_memory_error() { return error; }

void raise_out_of_memory_after_writing() {
  // Null before the library is initialised.
  if (!error_after_writing) throw std::bad_alloc();
  std::rethrow_exception(error_after_writing);
}

}  // namespace mithril
