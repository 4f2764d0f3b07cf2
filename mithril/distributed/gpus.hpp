// Checks that processes do not share a GPU by mistake.
#pragma once

#include <string>
#include <vector>

#include "mithril/distributed/communicator.hpp"

namespace mithril {

// The GPU of a process among those that the process sees, by names that no two GPUs share: UUIDs.
struct Gpu {
  std::string own;                        // empty: not known
  std::vector<std::string> visible = {};  // its own included
};

struct GpuOfProcess {
  std::string host;  // the name of the machine
  Gpu gpu;
};

// DistributedError E0972 if two processes use one GPU because more processes run on a machine than
// it has GPUs, E0973 if they do although it has enough. `processes`: of the group, by rank.
void check_gpus(const std::string& group, const std::vector<GpuOfProcess>& processes);

// Exchanges the GPUs of the processes, and checks them on each one. All processes of the group call
// it.
void check_gpus(Communicator& group, const Gpu& gpu);

}  // namespace mithril
