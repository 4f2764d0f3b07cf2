// The process group of a job, in programs without Python.
#pragma once

#include <string>

#include "mithril/infer/datum.hpp"

namespace mithril::torch_backend {

// Makes a process group with gloo and registers it in torch under the name that Python gives the
// group of a job, which it returns. Options: "rank", "size", "host" and "port" of the store,
// "hosted", whether a launcher hosts the store, "prefix" of its keys, and "start_timeout" in
// seconds. DistributedError E0969 if the processes do not find each other.
std::string start_group(const Arguments& options);

}  // namespace mithril::torch_backend
