// A row group: steps that run together on a few parts at a time.
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/runtime/step.hpp"

namespace mithril::cpu_backend {

// A value that only the group uses. Each task holds the parts that it works on.
struct PrivateValue {
  int64_t part_bytes, offset;  // in bytes; the offset is in the scratch memory of the task
};

struct RowGroupOptions {
  // The row partition, and the parts that run through all steps together.
  int64_t parts = 1, at_once = 1;
  int tasks = 1;
  // The base of the first own value. The bases of the run's buffer table are below it.
  int32_t first_base = 0;
  std::vector<PrivateValue> values;
  // The scratch memory of all tasks, one after the other: the bases of the task, then its values.
  BufferRef scratch;
  int64_t scratch_bytes = 0;  // of one task
};

std::unique_ptr<Step> make_row_group_step(std::vector<std::unique_ptr<PartStep>> members,
                                          RowGroupOptions options);

}  // namespace mithril::cpu_backend
