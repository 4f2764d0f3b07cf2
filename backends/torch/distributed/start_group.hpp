// Process groups with gloo: that of a job, in programs without Python, and parts of a group.
#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <chrono>
#include <string>
#include <vector>

#include "mithril/infer/datum.hpp"

namespace mithril::torch_backend {

// Makes a process group with gloo and registers it in torch under the name that Python gives the
// group of a job. Torch's registry does not own it. Options: "rank", "size", "host" and "port" of
// the store, "hosted", whether a launcher hosts the store, "prefix" of its keys, and
// "start_timeout" in seconds. DistributedError E0969 if the processes do not find each other.
c10::intrusive_ptr<c10d::ProcessGroup> start_group(const Arguments& options);

// The group of the processes `ranks` of a group, which all of them call. DistributedError E0969 if
// they do not find each other within the timeout.
c10::intrusive_ptr<c10d::ProcessGroup> start_subgroup(
    const c10::intrusive_ptr<c10d::ProcessGroup>& group, const std::string& name,
    const std::vector<int>& ranks, std::chrono::milliseconds timeout);

}  // namespace mithril::torch_backend
