#include "backends/cpu/fusion/row_cuts.hpp"

#include <algorithm>
#include <numeric>

#include "backends/cpu/elementwise/program_step.hpp"

namespace mithril::cpu_backend {
namespace {

// Empty: the step only runs as a whole.
std::vector<RowPartition> partitions_of(const ShapedGraph& shaped, const StepDescriptor& step) {
  if (step.program) return row_partitions(shaped, *step.program);
  if (step.tiled_rows.tiles == 0) return step.row_partitions;
  std::vector<RowPartition> all = step.tiled_rows.partitions;
  if (!step.epilogue) return all;
  const std::vector<RowPartition> epilogue = row_partitions(shaped, *step.epilogue);
  if (epilogue.empty()) return {};
  all.insert(all.end(), epilogue.begin(), epilogue.end());
  return all;
}

// 1 if no partition names the value.
int64_t parts_of_value(const std::vector<RowPartition>& partitions, ValueId id) {
  int64_t parts = 0;
  for (const RowPartition& cut : partitions) {
    if (cut.value == id) parts = std::gcd(parts, cut.parts);
  }
  return std::max<int64_t>(parts, 1);
}

}  // namespace

RowCuts find_row_cuts(const ShapedGraph& shaped, const LoweredGraph& lowered) {
  const std::vector<ValueId>& inputs = shaped.graph().inputs();
  RowCuts cuts{.parts = 0, .inputs = std::vector<int64_t>(inputs.size())};
  for (const StepDescriptor& step : lowered.steps) {
    const std::vector<RowPartition> partitions = partitions_of(shaped, step);
    for (const RowPartition& cut : step.tiled_rows.partitions) {
      if (cut.parts > 1) cuts.parts = std::gcd(cuts.parts, cut.parts);
    }
    for (const ValueId id : step.writes)
      cuts.parts = std::gcd(cuts.parts, parts_of_value(partitions, id));
    for (const ValueId id : step.reads) {
      const Storage& storage = lowered.storages[lowered.storage_of[index(id)]];
      const int64_t parts = parts_of_value(partitions, id);
      const int32_t base = storage.given ? storage.given->base : 0;
      if (base <= 0) {
        cuts.parts = std::gcd(cuts.parts, parts);
      } else if (const auto input = static_cast<size_t>(base - 1); input < inputs.size()) {
        cuts.inputs[input] = std::gcd(cuts.inputs[input], parts);
      }
    }
    if (step.tiled_rows.tiles > 0) cuts.tiles = std::min(cuts.tiles, step.tiled_rows.tiles);
    cuts.useful_threads += step.useful_threads;
    if (cuts.parts == 1) break;
  }
  cuts.parts = std::max<int64_t>(cuts.parts, 1);
  return cuts;
}

}  // namespace mithril::cpu_backend
