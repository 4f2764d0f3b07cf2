// Errors of torch as errors of Mithril.
#pragma once

#include <string>

#include "backends/torch/device/library.hpp"

namespace mithril::torch_backend {

struct Operation {
  std::string path, op, spelling;
};

// BackendError E1012, E1024 if a deterministic kernel was required and there is none, or E1025 if a
// GPU reports that an earlier kernel has failed. `why` is torch's text. The operation may be empty.
[[noreturn]] void refuse_operation(const Operation& operation, Switches switches,
                                   const std::string& why);
// OutOfMemoryError E1101 if the limit of this thread's meter was exceeded, otherwise E1102.
[[noreturn]] void refuse_memory(const Operation& operation, const std::string& why);
// Throws the current exception, as an error with wrote_inputs.
[[noreturn]] void rethrow_after_writing();

}  // namespace mithril::torch_backend
