// Runs programs to their end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mithril {

struct ProcessOptions {
  std::string log;               // the file for standard output and standard error
  std::string temporary_folder;  // TMPDIR of the program
  std::chrono::milliseconds limit;
};

enum class ProcessEnd { success, failure, timeout, not_started };

// Runs a program without a shell. The first argument is its path. Its standard input is empty.
// After the time limit, it is killed with the processes that it started. The result is also success
// if the system does not report how the program ended, so check its output.
ProcessEnd run_process(const std::vector<std::string>& arguments, const ProcessOptions& options);

}  // namespace mithril
