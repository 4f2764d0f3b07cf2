// Executables of the CPU backend, and MITHRIL_DUMP, which prints the results of their passes.
#pragma once

#include <memory>

#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

std::unique_ptr<Executable> make_executable(const Graph& graph, Config config);

// Prints to standard error the results of the passes that the environment variable MITHRIL_DUMP
// lists, separated by commas; "all" lists every pass. Null if it is not set. ValueError E0436 for a
// name that is no pass.
DumpSink dump_from_environment();

}  // namespace mithril::cpu_backend
