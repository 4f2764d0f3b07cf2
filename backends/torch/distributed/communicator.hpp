// A process group of torch as a group of Mithril.
#pragma once

#include <memory>

#include "mithril/distributed/communicator.hpp"
#include "mithril/infer/datum.hpp"

namespace mithril::torch_backend {

// Options: "group", the name of the process group in torch (ProcessGroup.group_name), and "timeout"
// of one collective in seconds. Without "group", those of start_group. Tensors are on the CPU.
// DistributedError E0966 if torch has no such group, or none for tensors on the CPU. Shared
// (shared_ptr) with the table of communicators.
std::shared_ptr<Communicator> make_communicator(const Arguments& options);

}  // namespace mithril::torch_backend
