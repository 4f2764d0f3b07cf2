// Recognizes elementwise programs that only clamp.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/elementwise/program.hpp"
#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// The limits if a float32 program does nothing but clamp its only input in place: see
// ElementStep::clamp.
std::optional<Clamp> in_place_clamp(const ShapedGraph& shaped, const ElementwiseProgram& program,
                                    const BufferRefs& refs);

}  // namespace mithril::cpu_backend
