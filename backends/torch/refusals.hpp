// What torch cannot run, as errors of ours.
#pragma once

#include <string>

#include "backends/torch/library.hpp"

namespace mithril::torch_backend {

struct Operation {
  std::string path, op, spelling;
};

// BackendError E1012, or E1024 where no kernel gives the same bits each time and that was asked
// for. `why` is torch's text.
[[noreturn]] void refuse_operation(const Operation& operation, Switches switches,
                                   const std::string& why);
// OutOfMemoryError E1101 where the limit of what this thread counts for was hit, else E1102.
[[noreturn]] void refuse_memory(const Operation& operation, const std::string& why);

}  // namespace mithril::torch_backend
