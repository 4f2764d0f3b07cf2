// Threads of one process as the processes of a group, for tests.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "mithril/distributed/communicator.hpp"

namespace mithril {

// The communicators of a group of `size` threads, by rank. Each thread uses one, with
// CommunicatorScope. Reductions add in the order of ranks. A thread that destroys its communicator
// leaves the group. Threads may share a GPU. DistributedError E0961 on all threads if they call
// different collectives, E0962 after the timeout, E0963 if a thread has left. Shared (shared_ptr)
// as those of the table.
std::vector<std::shared_ptr<Communicator>> thread_communicators(
    int size, const std::string& name, std::chrono::milliseconds timeout = std::chrono::minutes(1));

}  // namespace mithril
