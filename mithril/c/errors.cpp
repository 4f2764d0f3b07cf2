#include "mithril/c/errors.hpp"

#include <new>

#include "mithril/base/version.hpp"

namespace mithril::c {
namespace {

thread_local std::string last_message;

// Returned if no error can be allocated.
mithril_error out_of_memory_object = {MITHRIL_OUT_OF_MEMORY, "E1102", "OutOfMemoryError",
                                      "there is not enough memory"};

mithril_status status_of(const Error& error) {
  if (error.code() == "E0870") return MITHRIL_INVALID_ARGUMENT;
  switch (error.kind()) {
    case ErrorKind::parse:
      return MITHRIL_PACKAGE_ERROR;
    case ErrorKind::backend:
      return MITHRIL_BACKEND_ERROR;
    case ErrorKind::out_of_memory:
      return MITHRIL_OUT_OF_MEMORY;
    case ErrorKind::input:
    case ErrorKind::shape:
    case ErrorKind::type:
    case ErrorKind::value:
      return MITHRIL_INPUT_ERROR;
    default:
      return MITHRIL_OTHER_ERROR;
  }
}

void keep(mithril_error** error, mithril_error found) {
  last_message = found.message;
  if (error) *error = new mithril_error(std::move(found));
}

}  // namespace

mithril_status report_exception(mithril_error** error) noexcept {
  try {
    try {
      throw;
    } catch (const Error& caught) {
      const mithril_status status = status_of(caught);
      keep(error, {status, caught.code(), std::string(class_name(caught.kind())), caught.what()});
      return status;
    } catch (const std::bad_alloc&) {  // as one of this function: it is reported without memory
      throw;
    } catch (const std::exception& caught) {
      keep(error, {MITHRIL_OTHER_ERROR, "", "InternalError", caught.what()});
      return MITHRIL_OTHER_ERROR;
    } catch (...) {
      keep(error, {MITHRIL_OTHER_ERROR, "", "InternalError", "an unknown exception"});
      return MITHRIL_OTHER_ERROR;
    }
  } catch (...) {
    if (error) *error = &out_of_memory_object;
    return MITHRIL_OUT_OF_MEMORY;
  }
}

void refuse_call(const std::string& message) {
  raise({.kind = ErrorKind::input, .code = "E0870", .message = message});
}

}  // namespace mithril::c

extern "C" {

uint32_t mithril_api_version(void) { return MITHRIL_API_VERSION; }

const char* mithril_version(void) { return mithril::version().data(); }

mithril_status mithril_error_status(const mithril_error* error) {
  return error ? error->status : MITHRIL_OK;
}

const char* mithril_error_code(const mithril_error* error) {
  return error ? error->code.c_str() : "";
}

const char* mithril_error_kind(const mithril_error* error) {
  return error ? error->kind.c_str() : "";
}

const char* mithril_error_message(const mithril_error* error) {
  return error ? error->message.c_str() : "";
}

void mithril_error_free(mithril_error* error) {
  if (error != &mithril::c::out_of_memory_object) delete error;
}

const char* mithril_last_error(void) { return mithril::c::last_message.c_str(); }

}  // extern "C"
