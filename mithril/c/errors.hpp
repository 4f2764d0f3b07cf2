// Error objects of the C interface: no exception leaves a function of it.
#pragma once

#include <exception>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/c/mithril.h"

struct mithril_error {
  mithril_status status;
  std::string code, kind, message;
};

namespace mithril::c {

// The status of the exception that is being handled. Keeps its message for mithril_last_error, and
// makes an object of it unless `error` is null or memory is short.
mithril_status report_exception(mithril_error** error) noexcept;

// A fault in how the interface is called: InputError E0870.
[[noreturn]] void refuse_call(const std::string& message);

// Runs an action of a function of the interface.
template <typename Action>
mithril_status guarded(mithril_error** error, Action action) noexcept {
  try {
    if (error) *error = nullptr;
    action();
    return MITHRIL_OK;
  } catch (...) {
    return report_exception(error);
  }
}

}  // namespace mithril::c
