// Loops over single elements that are done with what a step makes, while it is in the cache.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// What a step makes for a loop that alone reads it.
struct Unfinished {
  ValueId raw;
  std::optional<ValueId> place;  // of the loop's, made in the place of `raw`; nothing: beside it
};

// The step that makes the value, followed by the loop.
StepDescriptor finished(const LoweringContext& context, StepDescriptor step,
                        const StepDescriptor& descriptor, const Loop& loop, const Unfinished& made);

}  // namespace mithril::cpu_backend
