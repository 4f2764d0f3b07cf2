// The errors of collectives, which communicators of any kind raise.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril {

// "process 1 of 3".
std::string process_of(int rank, int size);
// "2.5 s".
std::string seconds_of(std::chrono::steady_clock::duration time);

// E0962: the collective did not end within the timeout. `waiting_for`: "process 2"; empty: not
// known.
ErrorDetails timed_out(const Communicator& group, const std::string& collective,
                       std::chrono::steady_clock::duration waited, const std::string& waiting_for);
// E0963: another process has ended, or the connection to it. `why`: what the transport says.
ErrorDetails lost_process(const Communicator& group, const std::string& collective,
                          std::chrono::steady_clock::duration waited, const std::string& why);

// E0963: process `rank` has abandoned the group because of an error.
ErrorDetails abandoned(const Communicator& group, int rank, const std::string& reason);

// Calls `function()`. A DistributedError without a path gets this one.
template <typename Function>
auto with_path_of_collective(const std::string& path, const Function& function) {
  try {
    return function();
  } catch (const DistributedError& error) {
    if (!error.path().empty()) throw;
    ErrorDetails details = error.details();
    details.path = path;
    raise(std::move(details));
  }
}

// Calls `function()`, and adds the number of the training step to the DistributedError that it
// raises, unless the processes disagree about the step itself.
template <typename Function>
auto with_number_of_step(std::int64_t step, const Function& function) {
  try {
    return function();
  } catch (const DistributedError& error) {
    if (error.code() == "E0964") throw;
    ErrorDetails details = error.details();
    details.facts.push_back({"step", std::to_string(step)});
    raise(std::move(details));
  }
}

}  // namespace mithril
