// MITHRIL_DUMP: prints the results of passes.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// Prints to standard error the results of the passes that the environment variable MITHRIL_DUMP
// lists, separated by commas; "all" lists every pass. Null if it is not set. ValueError E0436 for a
// name that is not a pass.
DumpSink dump_from_environment();

}  // namespace mithril::cpu_backend
