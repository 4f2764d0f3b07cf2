// Joins the group of the processes that a launcher, such as torchrun, has started.
#pragma once

#include <memory>

#include "mithril/distributed/communicator.hpp"

namespace mithril::distributed {

struct InitOptions {
  double timeout = 60;         // of one collective, in seconds
  double start_timeout = 600;  // in which the processes have to find each other
  bool share_gpus = false;     // whether several processes may train on one GPU
};

// Joins the group of the processes that run this program, and puts it into the table of
// communicators. The variables RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT name it; without
// RANK and WORLD_SIZE the process is alone. Several processes exchange tensors by gloo, in the
// plugin of the torch backend. Later calls return the group of the first one. DistributedError
// E0965 if variables are missing or are not numbers, E0969 if the processes do not find each other;
// BackendError as load_communicator.
std::shared_ptr<Communicator> init(const InitOptions& options = {});

}  // namespace mithril::distributed
