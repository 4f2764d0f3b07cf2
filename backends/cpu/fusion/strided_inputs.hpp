// Elementwise steps that read slices in place.
#pragma once

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// Removes steps that copy a slice which only elementwise steps read: these read its rows where they
// are. So the gates of a recurrent layer are not copied, and each thread reads its own part. Not
// for native code, and not for rows shorter than a vector.
void read_strided_inputs(const LoweringContext& context, LoweredGraph& lowered);

}  // namespace mithril::cpu_backend
