// Runs a function on the threads of a group, each of which is a process of the group.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/distributed/thread_communicator.hpp"

namespace mithril::tests {

// Returns the text of the error of each thread, by rank; empty: none. A thread that ends leaves the
// group, as a process does.
inline std::vector<std::string> on_each_rank(
    int size, const std::function<void(Communicator&)>& function,
    std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
  auto group = thread_communicators(size, "threads", timeout);
  std::vector<std::string> errors(group.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < group.size(); ++rank) {
    threads.emplace_back([&errors, &function, rank, own = std::move(group[rank])]() mutable {
      const CommunicatorScope scope(own);
      try {
        function(*own);
      } catch (const std::exception& error) {
        errors[rank] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

// Those of a group that does not fail.
inline std::vector<std::string> no_errors(int size) {
  return std::vector<std::string>(static_cast<std::size_t>(size));
}

}  // namespace mithril::tests
