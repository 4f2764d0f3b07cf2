// An executable: one execution plan for each combination of input sizes.
#pragma once

#include <memory>

#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

std::unique_ptr<Executable> make_executable(const Graph& graph, Config config);

}  // namespace mithril::cpu_backend
