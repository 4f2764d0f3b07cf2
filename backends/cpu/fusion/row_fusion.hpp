// Which steps are done together, part by part.
#pragma once

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// Joins steps that treat parts of values on their own (`StepDescriptor::cuts`) with those that make
// what they read, wherever nothing else stands between them and some parts of all their values fit
// the caches. What they alone read takes no memory then but for those parts.
void fuse_rows(const LoweringContext& context, LoweredGraph& lowered);

}  // namespace mithril::cpu_backend
