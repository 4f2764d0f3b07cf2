// The process group of a job, in programs without Python.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "mithril/infer/datum.hpp"

namespace mithril::torch_backend {

// Makes a process group with gloo and registers it in torch under the name that Python gives the
// group of a job. Torch's registry does not own it. Options: "rank", "size", "host" and "port" of
// the store, "hosted", whether a launcher hosts the store, "prefix" of its keys, and
// "start_timeout" in seconds. DistributedError E0969 if the processes do not find each other.
c10::intrusive_ptr<c10d::ProcessGroup> start_group(const Arguments& options);

}  // namespace mithril::torch_backend
