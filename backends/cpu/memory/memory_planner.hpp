// Memory planning: a buffer for each value that steps read or write.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/shaped_graph.hpp"

namespace mithril::cpu_backend {

// A value that a step writes, and the steps that write it and read it last.
struct LiveValue {
  ValueId id;
  int64_t bytes;
  int32_t first, last;
};

// Buffer 0 is the arena. The inputs follow, then the constants, then one buffer for each output
// that a run allocates.
struct PlannedMemory {
  BufferRefs refs;
  std::vector<int64_t> scratch;  // per step: the offset of its scratch memory in the arena
  size_t buffers = 0;            // in all
  int64_t arena_bytes = 0;
  int64_t output_bytes = 0;
  std::vector<LiveValue> values;  // in the order in which steps write them
  size_t untouched_steps = 0;     // the number of steps before the first that writes into an input
};

// Lets steps write in place, and packs the other live ranges into the arena. OutOfMemoryError E1101
// if a run needs more than the limit, E1102 if it needs more than the machine has; nothing is
// allocated.
PlannedMemory plan_memory(const ShapedGraph& shaped, LoweredGraph& lowered,
                          std::span<const DonatedBuffer> donated, std::optional<int64_t> limit);

// A line for each value: its buffer, offset, bytes and live range.
std::string to_string(const PlannedMemory& memory, const LoweredGraph& lowered,
                      const ShapedGraph& shaped);

}  // namespace mithril::cpu_backend
