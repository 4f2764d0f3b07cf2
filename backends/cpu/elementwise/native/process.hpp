// Programs that are run to their end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mithril::cpu_backend {

struct ProcessOptions {
  std::string log;               // a file that takes what it prints, on either stream
  std::string temporary_folder;  // its TMPDIR
  std::chrono::milliseconds limit;
};

enum class ProcessEnd { success, failure, timeout, not_started };

// Success, too, where nobody can know: it may have made nothing. The first argument is the path of
// the program; no shell sees any of them. It reads nothing, and what it has started ends with it
// where it takes longer than the limit.
ProcessEnd run_process(const std::vector<std::string>& arguments, const ProcessOptions& options);

}  // namespace mithril::cpu_backend
