// Steps that treat parts of values on their own, done together, some parts after the others.
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// A value that each task has for itself: the parts that it works on.
struct OwnValue {
  int64_t part_bytes, offset;  // in what the task works in
};

struct PartGroupOptions {
  int64_t parts = 1, at_once = 1;  // that all is cut into, and that go through all members together
  int tasks = 1;
  // Of the first of the own values; those that the frame has are below it.
  int32_t first_base = 0;
  std::vector<OwnValue> values;
  // What tasks work in, one behind the other: pointers to all bases, and then the values.
  BufferRef scratch;
  int64_t scratch_bytes = 0;  // of one task
};

std::unique_ptr<Step> make_part_group(std::vector<std::unique_ptr<PartStep>> members,
                                      PartGroupOptions options);

}  // namespace mithril::cpu_backend
