// Steps that compute each row alone.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {

struct Rows {
  int64_t count, size;  // size: elements of a row
  int threads;          // the most that a step uses

  // The work of the rows, divided into `pieces`: rows or elements.
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

// Calls run_rows(buffers, begin, end) for ranges of the rows.
template <typename RunRows>
class RowStep final : public PartitionedStep {
 public:
  RowStep(const Rows& rows, RunRows run_rows) : rows_(rows), run_rows_(std::move(run_rows)) {}

  void run(const BufferTable& buffers) const override {
    run_ranges(rows_.work(rows_.count), rows_.threads,
               [&](int64_t begin, int64_t end, int) { run_rows_(buffers, begin, end); });
  }
  void run_parts(const BufferTable& buffers, const PartRange& parts) const override {
    run_rows_(buffers, parts.begin(rows_.count), parts.end(rows_.count));
  }

 private:
  Rows rows_;
  RunRows run_rows_;
};
template <typename RunRows>
std::unique_ptr<Step> make_row_step(const Rows& rows, RunRows run_rows) {
  return std::make_unique<RowStep<RunRows>>(rows, std::move(run_rows));
}

}  // namespace mithril::cpu_backend
