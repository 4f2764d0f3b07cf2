#include "backends/cpu/memory/memory_planner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "mithril/backend/meter.hpp"
#include "mithril/eval/memory_plan.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

// More than any machine has, and small enough to be rounded and added.
constexpr int64_t most_bytes = std::numeric_limits<int64_t>::max() / 4;

class MemoryPlanner {
 public:
  MemoryPlanner(const ShapedGraph& shaped, LoweredGraph& lowered,
                std::span<const DonatedBuffer> donated)
      : graph_(shaped.graph()),
        shaped_(shaped),
        lowered_(lowered),
        donor_of_(graph_.values().size()) {
    for (const DonatedBuffer& at : donated) donor_of_[index(at.made)] = at.given;
  }

  PlannedMemory run(std::optional<int64_t> limit) {
    memory_.untouched_steps = lowered_.steps.size();
    memory_.buffers = 1 + graph_.inputs().size() + graph_.constants().size();
    lowered_.find_live_ranges();
    write_in_place();
    assign_buffers();
    check_limits(limit);
    keep_live_ranges();
    return std::move(memory_);
  }

 private:
  size_t root(ValueId id) const {
    size_t storage = lowered_.storage_of[index(id)];
    while (lowered_.storages[storage].alias_of) storage = *lowered_.storages[storage].alias_of;
    return storage;
  }

  void keep_live_ranges() {
    for (const StepDescriptor& step : lowered_.steps) {
      for (const ValueId id : step.writes) {
        const Storage& storage = lowered_.storage(id);
        memory_.values.push_back({id, shaped_.buffer_bytes(id), storage.first, storage.last});
      }
    }
  }

  // Inputs are written to after the last collective: if one fails, they are as before the run.
  size_t first_step_that_may_write_inputs() const {
    size_t first = 0;
    for (size_t step = 0; step < lowered_.steps.size(); ++step) {
      for (const size_t node : lowered_.steps[step].nodes) {
        if (shaped_.node(node).op->collective) first = step + 1;
      }
    }
    return first;
  }

  void write_in_place() {
    const size_t may_write_inputs = first_step_that_may_write_inputs();
    for (size_t step = 0; step < lowered_.steps.size(); ++step) {
      if (!lowered_.steps[step].bucket.empty()) place_in_bucket(step);
      for (const InPlacePair& at : lowered_.steps[step].in_place_pairs) {
        Storage &from = lowered_.storages[root(at.read)], &to = lowered_.storage(at.write);
        const bool ends = from.last == static_cast<int32_t>(step) && !from.kept && !to.alias_of;
        const bool may_be_written =
            from.given ? donor_of_[index(at.write)] == at.read && step >= may_write_inputs
                       : !to.kept;
        const int64_t bytes = from.given ? shaped_.bytes(at.read) : from.bytes;
        if (!ends || !may_be_written || bytes != to.bytes || is_read_otherwise(step, at.read)) {
          continue;
        }
        if (from.given) memory_.untouched_steps = std::min(memory_.untouched_steps, step);
        to.alias_of = root(at.read);
        from.last = std::max(to.last, from.last + 1);  // no other value may take the buffer
      }
      if (may_write_inputs > 0 && step >= may_write_inputs) write_to_donors(step);
    }
  }

  // Writes outputs that collectives have made whole into donated inputs that no step reads any
  // more. Without collectives a step that fails later would find the inputs changed.
  void write_to_donors(size_t step) {
    for (const ValueId made : lowered_.steps[step].writes) {
      const std::optional<ValueId>& donor = donor_of_[index(made)];
      if (!donor) continue;
      Storage &from = lowered_.storages[root(*donor)], &to = lowered_.storage(made);
      const bool is_read = from.last >= to.first;
      if (is_read || from.kept || to.alias_of || shaped_.bytes(*donor) != to.bytes) continue;
      memory_.untouched_steps = std::min(memory_.untouched_steps, step);
      to.alias_of = root(*donor);
      from.last = to.last;  // no other value may take the buffer
    }
  }

  // The first output of a start is the whole bucket, from the first step on that writes a member.
  // The outputs of the wait stay in it.
  void place_in_bucket(size_t step) {
    const StepDescriptor& descriptor = lowered_.steps[step];
    const BucketMember& first = descriptor.bucket.front();
    const bool starts = descriptor.bucket_bytes > 0;
    const size_t bucket = starts ? lowered_.storage_of[index(first.write)] : root(first.read);
    if (starts) lowered_.storages[bucket].bytes = descriptor.bucket_bytes;
    for (const BucketMember& member : descriptor.bucket) {
      const size_t read = root(member.read), made = lowered_.storage_of[index(member.write)];
      if (starts || is_whole(made, member)) join(made, bucket, member.offset);
      if (starts && is_whole(read, member) && ends_in(read, step))
        join(read, bucket, member.offset);
    }
  }

  bool is_whole(size_t storage, const BucketMember& member) const {
    const Storage& at = lowered_.storages[storage];
    return !at.given && !at.kept && at.bytes == member.bytes;
  }

  bool ends_in(size_t storage, size_t step) const {
    return lowered_.storages[storage].last == static_cast<int32_t>(step);
  }

  void join(size_t storage, size_t bucket, int64_t offset) {
    Storage &at = lowered_.storages[storage], &whole = lowered_.storages[bucket];
    if (storage == bucket) return;
    at.alias_of = bucket;
    at.alias_offset = offset;
    whole.first = std::min(whole.first, at.first);
    whole.last = std::max(whole.last, at.last);
  }

  // Whether the step also reads a view of this value.
  bool is_read_otherwise(size_t step, ValueId read) const {
    const std::vector<ValueId>& reads = lowered_.steps[step].reads;
    return std::any_of(reads.begin(), reads.end(),
                       [&](ValueId other) { return other != read && root(other) == root(read); });
  }

  void assign_buffers() {
    std::vector<LiveRange> live_ranges;
    int64_t bytes = 0;
    for (const Storage& storage : lowered_.storages) {
      if (storage.given) continue;
      bytes += std::min(storage.bytes, most_bytes - bytes + 1);
      if (!storage.kept && !storage.alias_of) {
        live_ranges.push_back({storage.bytes, storage.first, storage.last});
      }
    }
    for (size_t step = 0; step < lowered_.steps.size(); ++step) {
      const StepDescriptor& descriptor = lowered_.steps[step];
      const bool keeps = descriptor.keeps_scratch();
      const auto at = static_cast<int32_t>(step), end = static_cast<int32_t>(lowered_.steps.size());
      live_ranges.push_back({descriptor.scratch_bytes(), keeps ? 0 : at, keeps ? end : at});
    }
    if (bytes > most_bytes) refuse(bytes, std::nullopt);
    const MemoryPlan plan = mithril::plan_memory(live_ranges);
    memory_.arena_bytes = plan.bytes;
    auto offset = plan.offsets.begin();
    for (Storage& storage : lowered_.storages) {
      if (storage.given || storage.alias_of) continue;
      if (!storage.kept) {
        storage.given = BufferRef{0, *offset++};
        continue;
      }
      memory_.output_bytes += storage.bytes;
      storage.given = BufferRef{static_cast<int32_t>(memory_.buffers++), 0};
    }
    memory_.scratch.assign(offset, plan.offsets.end());
    memory_.refs.reserve(lowered_.storage_of.size());
    for (size_t id = 0; id < lowered_.storage_of.size(); ++id) {
      memory_.refs.push_back(ref(static_cast<ValueId>(id)));
    }
  }

  BufferRef ref(ValueId id) const {
    size_t storage = lowered_.storage_of[index(id)];
    int64_t offset = 0;
    while (lowered_.storages[storage].alias_of) {
      offset += lowered_.storages[storage].alias_offset;
      storage = *lowered_.storages[storage].alias_of;
    }
    BufferRef ref = *lowered_.storages[storage].given;
    ref.offset += offset;
    return ref;
  }

  void check_limits(std::optional<int64_t> limit) const {
    static const int64_t present = sysconf(_SC_PHYS_PAGES) * int64_t{sysconf(_SC_PAGESIZE)};
    const int64_t asked = memory_.arena_bytes + memory_.output_bytes;
    if (limit && asked > *limit) refuse(asked, limit);
    if (asked > present) refuse(asked, std::nullopt);
  }

  [[noreturn]] void refuse(int64_t asked, std::optional<int64_t> limit) const {
    const Node* largest = &graph_.nodes().front();
    const auto bytes = [&](const Node& node) { return shaped_.bytes(node.outputs.front()); };
    for (const Node& node : graph_.nodes()) {
      if (bytes(node) > bytes(*largest)) largest = &node;
    }
    out_of_memory({.asked = asked, .limit = limit}, graph_.value(largest->outputs.front()).name,
                  largest->op->name);
  }

  const Graph& graph_;
  const ShapedGraph& shaped_;
  LoweredGraph& lowered_;
  PlannedMemory memory_;
  std::vector<std::optional<ValueId>> donor_of_;  // per value: the input whose buffer it may take
};

}  // namespace

PlannedMemory plan_memory(const ShapedGraph& shaped, LoweredGraph& lowered,
                          std::span<const DonatedBuffer> donated, std::optional<int64_t> limit) {
  return MemoryPlanner(shaped, lowered, donated).run(limit);
}

std::string to_string(const PlannedMemory& memory, const LoweredGraph& lowered,
                      const ShapedGraph& shaped) {
  std::string text =
      fmt::format("arena {} bytes, outputs {} bytes\n", memory.arena_bytes, memory.output_bytes);
  const auto add_line = [&](ValueId id) {
    const BufferRef ref = memory.refs[index(id)];
    const Storage& storage = lowered.storage(id);
    text += fmt::format("{}: {}, {} bytes, steps {} to {}\n", shaped.graph().value(id).name,
                        ref.base == BufferRef::tile
                            ? std::string("tiles only")
                            : fmt::format("buffer {} at {}", ref.base, ref.offset),
                        shaped.bytes(id), storage.first, storage.last);
  };
  for (const StepDescriptor& step : lowered.steps) {
    for (const ValueId id : step.writes) add_line(id);
  }
  return text;
}

}  // namespace mithril::cpu_backend
