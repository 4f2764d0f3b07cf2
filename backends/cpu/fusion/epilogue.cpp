#include "backends/cpu/fusion/epilogue.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/elementwise/program_step.hpp"

namespace mithril::cpu_backend {

StepDescriptor finished(const LoweringContext& context, StepDescriptor step,
                        const StepDescriptor& descriptor, const Loop& loop,
                        const Unfinished& made) {
  StepDescriptor both{
      .reads = step.reads, .writes = descriptor.writes, .scratch_bytes = step.scratch_bytes};
  const auto step_reads = [&](ValueId id) {
    return std::find(step.reads.begin(), step.reads.end(), id) != step.reads.end();
  };
  for (const ValueId id : descriptor.reads) {
    if (id != made.raw && !step_reads(id)) both.reads.push_back(id);
  }
  // What the step reads it still does while the first parts are written; and where it writes itself
  // nothing else may stand.
  for (const InPlacePair& at : descriptor.in_place_pairs) {
    const bool elsewhere = at.write != made.place && at.read != made.raw;
    if (elsewhere && !step_reads(at.read)) both.in_place_pairs.push_back(at);
  }
  both.make = [&context, loop, make = std::move(step.make_finished)](const BufferRefs& refs,
                                                                     BufferRef scratch) {
    // One thread at a time does a part.
    return make(refs, scratch, make_loop_step(context, loop, 1, refs));
  };
  return both;
}

}  // namespace mithril::cpu_backend
