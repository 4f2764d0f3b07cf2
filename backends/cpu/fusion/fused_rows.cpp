#include "backends/cpu/fusion/fused_rows.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"
#include "mithril/base/thread_pool.hpp"
#include "mithril/eval/memory_plan.hpp"

namespace mithril::cpu_backend {
namespace {

// The bytes that go through the steps of a group at a time, if a part is smaller.
constexpr int64_t bytes_at_once = 1 << 16;

// A value that only the group uses. Each task holds the parts that it works on.
struct PrivateValue {
  int64_t part_bytes, offset;  // in bytes; the offset is in the scratch memory of the task
};

struct RowGroupOptions {
  // The row partition, and the parts that run through all steps together.
  int64_t parts = 1, at_once = 1;
  int tasks = 1;
  // The base of the first private value. The bases of the run's buffer table are below it.
  int32_t first_base = 0;
  std::vector<PrivateValue> values;
  // Bytes of one task: its bases, then its values. The tasks' scratch memory is contiguous.
  int64_t task_bytes = 0;
};

// Runs the steps of a group together on a few parts at a time.
class RowGroupStep final : public GroupStep {
 public:
  explicit RowGroupStep(RowGroupOptions options) : o_(std::move(options)) {}

  void run(const BufferTable& buffers) const override {
    ThreadPool::shared().run(o_.tasks, o_.tasks, [&](int task) {
      run_task(buffers, task,
               {o_.parts * task / o_.tasks, o_.parts * (task + 1) / o_.tasks, o_.parts});
    });
  }

  int64_t scratch_bytes() const override { return o_.tasks * o_.task_bytes; }

 private:
  void run_task(const BufferTable& buffers, int task, const PartRange& all) const {
    std::byte* const scratch = buffers.scratch<std::byte>() + task * o_.task_bytes;
    const auto first_private = static_cast<size_t>(o_.first_base);
    const std::span bases(reinterpret_cast<std::byte**>(scratch), first_private + o_.values.size());
    std::copy_n(buffers.bases().begin(), std::min(buffers.bases().size(), first_private),
                bases.begin());
    const int64_t rounds = (all.last - all.first + o_.at_once - 1) / o_.at_once;
    iterate(buffers.direction(), 0, rounds, [&](int64_t round) {
      const int64_t first = all.first + round * o_.at_once;
      for (size_t i = 0; i < o_.values.size(); ++i) {
        const PrivateValue& value = o_.values[i];
        bases[first_private + i] = scratch + (value.offset - first * value.part_bytes);
      }
      const PartRange some{first, std::min(first + o_.at_once, all.last), all.of};
      for (const auto& member : members) member->run_parts(buffers.with_bases(bases), some);
    });
  }

  const RowGroupOptions o_;
};

bool is_partitioned(const StepDescriptor& descriptor, ValueId id, int64_t parts) {
  const int64_t most = parts_of(descriptor, id);
  return most > 0 && most % parts == 0;
}

class FusedRows {
 public:
  FusedRows(const LoweringContext& context, LoweredGraph& lowered, const RowGroup& group,
            const std::vector<bool>& is_private)
      : context_(context), lowered_(lowered), group_(group), is_private_(is_private) {
    for (size_t member = 0; member < group.steps.size(); ++member) {
      for (const ValueId id : descriptor(member).writes) {
        made_[storage(id)] = {static_cast<int32_t>(member), static_cast<int32_t>(member)};
      }
      for (const ValueId id : descriptor(member).reads) {
        const auto made = made_.find(storage(id));
        if (made == made_.end()) {
          consumers_[storage(id)].push_back({member, id});
        } else {
          made->second.last = static_cast<int32_t>(member);
        }
      }
    }
  }

  StepDescriptor descriptor() {
    StepDescriptor both;
    std::set<ValueId> read;
    for (size_t member = 0; member < group_.steps.size(); ++member) {
      const std::vector<size_t>& nodes = descriptor(member).nodes;
      both.nodes.insert(both.nodes.end(), nodes.begin(), nodes.end());
      both.useful_threads += descriptor(member).useful_threads;
      for (const ValueId id : descriptor(member).reads) {
        if (!made_.contains(storage(id)) && read.insert(id).second) both.reads.push_back(id);
      }
      for (const ValueId id : descriptor(member).writes) {
        if (is_private_[storage(id)]) continue;
        both.writes.push_back(id);
        add_overwrites(both, member, id);
      }
    }
    add_step(both);
    return both;
  }

 private:
  struct Made {
    int32_t first, last;  // members
  };
  struct Consumer {
    size_t member;
    ValueId id;
  };

  size_t storage(ValueId id) const { return lowered_.storage_of[index(id)]; }
  StepDescriptor& descriptor(size_t member) { return lowered_.steps[group_.steps[member]]; }

  // Adds the values that this member may overwrite: all their consumers read only their own part,
  // and none runs after this member.
  void add_overwrites(StepDescriptor& both, size_t member, ValueId write) {
    for (const auto& [storage, consumers] : consumers_) {
      const bool ends =
          std::all_of(consumers.begin(), consumers.end(), [&](const Consumer& consumer) {
            return is_partitioned(descriptor(consumer.member), consumer.id, group_.parts) &&
                   (consumer.member < member ||
                    (consumer.member == member &&
                     in_place_pairs(descriptor(member), write, consumer.id)));
          });
      if (ends) both.in_place_pairs.push_back({write, consumers.front().id});
    }
  }

  static bool in_place_pairs(const StepDescriptor& descriptor, ValueId write, ValueId read) {
    return std::any_of(descriptor.in_place_pairs.begin(), descriptor.in_place_pairs.end(),
                       [&](const InPlacePair& at) { return at.write == write && at.read == read; });
  }

  void add_step(StepDescriptor& both) {
    const Graph& graph = context_.shaped.graph();
    RowGroupOptions options{.parts = group_.parts};
    options.tasks = threads_of(context_, lowered_, group_);
    options.at_once = std::clamp(
        bytes_at_once / std::max(part_bytes(context_.shaped, lowered_, group_), int64_t{1}),
        int64_t{1}, up(group_.parts, options.tasks));
    options.first_base = static_cast<int32_t>(1 + graph.inputs().size() + graph.constants().size() +
                                              graph.outputs().size());
    add_values(options);
    both.step = std::make_unique<RowGroupStep>(std::move(options));
    for (size_t member = 0; member < group_.steps.size(); ++member) {
      both.members.push_back(std::move(descriptor(member)));
    }
  }

  // Plans the scratch memory of a task, and gives the private values their bases.
  void add_values(RowGroupOptions& options) {
    std::map<size_t, size_t> value_of;  // per storage
    std::vector<LiveRange> live_ranges;
    for (size_t member = 0; member < group_.steps.size(); ++member) {
      for (const ValueId id : descriptor(member).writes) {
        if (!is_private_[storage(id)]) continue;
        const Made& made = made_.at(storage(id));
        const int64_t bytes = lowered_.storages[storage(id)].bytes / group_.parts;
        if (const auto same = reusable(member, id, value_of, live_ranges)) {
          value_of[storage(id)] = *same;
          live_ranges[*same].last =
              std::max(made.last, made.first + 1);  // no other value may take the memory
        } else {
          value_of[storage(id)] = live_ranges.size();
          options.values.push_back({bytes, 0});
          live_ranges.push_back({bytes * options.at_once, made.first, made.last});
        }
      }
    }
    const MemoryPlan plan = plan_memory(live_ranges);
    const auto bases = static_cast<int64_t>(sizeof(std::byte*)) *
                       (options.first_base + static_cast<int64_t>(live_ranges.size()));
    const int64_t begin = round_up(bases, 64);
    for (size_t i = 0; i < live_ranges.size(); ++i)
      options.values[i].offset = begin + plan.offsets[i];
    // Kernels prefetch beyond their data, where no other thread may write.
    int64_t behind = options.tasks > 1 ? 4096 : 0;
    for (const PrivateValue& value : options.values) behind = std::max(behind, value.part_bytes);
    options.task_bytes = begin + plan.bytes + round_up(behind, 64);
    for (const auto& [storage, value] : value_of) {
      lowered_.storages[storage].given = {options.first_base + static_cast<int32_t>(value), 0};
      lowered_.storages[storage].bytes = 0;
    }
  }

  // The private value that this member may overwrite. Its live range ends with this member.
  std::optional<size_t> reusable(size_t member, ValueId write,
                                 const std::map<size_t, size_t>& value_of,
                                 const std::vector<LiveRange>& live_ranges) {
    const auto value = [&](ValueId id) {
      const auto found = value_of.find(storage(id));
      return found == value_of.end() ? SIZE_MAX : found->second;
    };
    for (const InPlacePair& at : descriptor(member).in_place_pairs) {
      const size_t place = at.write == write ? value(at.read) : SIZE_MAX;
      if (place == SIZE_MAX || live_ranges[place].last != static_cast<int32_t>(member)) continue;
      const std::vector<ValueId>& reads = descriptor(member).reads;
      const bool again = std::any_of(reads.begin(), reads.end(), [&](ValueId id) {
        return id != at.read && value(id) == place;
      });
      const int64_t bytes = lowered_.storages[storage(write)].bytes;
      if (!again && lowered_.storages[storage(at.read)].bytes == bytes) return place;
    }
    return std::nullopt;
  }

  const LoweringContext& context_;
  LoweredGraph& lowered_;
  const RowGroup& group_;
  const std::vector<bool>& is_private_;
  std::map<size_t, Made> made_;                        // per storage
  std::map<size_t, std::vector<Consumer>> consumers_;  // per storage that no member writes
};

}  // namespace

int64_t parts_of(const StepDescriptor& descriptor, ValueId id) {
  int64_t parts = 0;
  for (const RowPartition& cut : descriptor.row_partitions) {
    if (cut.value == id) parts = std::gcd(parts, cut.parts);
  }
  return parts;
}

int64_t part_bytes(const ShapedGraph& shaped, const LoweredGraph& lowered, const RowGroup& group) {
  std::set<size_t> met;
  int64_t bytes = 0;
  for (const size_t step : group.steps) {
    for (const RowPartition& cut : lowered.steps[step].row_partitions) {
      if (!is_partitioned(lowered.steps[step], cut.value, group.parts)) continue;
      if (!met.insert(lowered.storage_of[index(cut.value)]).second) continue;
      bytes += shaped.bytes(cut.value) / group.parts;
    }
  }
  return bytes;
}

int threads_of(const LoweringContext& context, const LoweredGraph& lowered, const RowGroup& group) {
  double useful_threads = 0;
  for (const size_t step : group.steps) useful_threads += lowered.steps[step].useful_threads;
  return static_cast<int>(std::clamp<double>(useful_threads + 0.5, 1, context.config.threads));
}

StepDescriptor fused_descriptor(const LoweringContext& context, LoweredGraph& lowered,
                                const RowGroup& group, const std::vector<bool>& is_private) {
  return FusedRows(context, lowered, group, is_private).descriptor();
}

}  // namespace mithril::cpu_backend
