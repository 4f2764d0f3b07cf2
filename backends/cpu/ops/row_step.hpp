// The base of steps that compute each row alone.
#pragma once

#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {

struct Rows {
  int64_t count, size;  // size: elements of a row
  int threads;          // the most that a step uses

  // The rows, or all their elements, in so many pieces.
  Work work(int64_t pieces) const {
    return {.amount = count * size, .pieces = pieces, .grain_size = grain_size};
  }
  // Adds row partitions for values that have one element, or one row of elements, per row.
  void cut(StepDescriptor& descriptor, const std::vector<ValueId>& values) const {
    if (count == 0) return;
    for (const ValueId id : values) descriptor.row_partitions.push_back({id, count});
    descriptor.useful_threads = static_cast<double>(count * size) / grain_size;
  }

 private:
  static constexpr int64_t grain_size = 1 << 14;  // in elements
};

class RowStep : public PartStep {
 public:
  void run(const BufferTable& buffers) const final {
    run_ranges(rows_.work(rows_.count), rows_.threads,
               [&](int64_t begin, int64_t end, int) { run_rows(buffers, begin, end); });
  }
  void run_parts(const BufferTable& buffers, const Parts& parts) const final {
    run_rows(buffers, parts.begin(rows_.count), parts.end(rows_.count));
  }

 protected:
  explicit RowStep(const Rows& rows) : rows_(rows) {}

  const Rows rows_;

 private:
  virtual void run_rows(const BufferTable& buffers, int64_t begin, int64_t end) const = 0;
};

}  // namespace mithril::cpu_backend
