#include "backends/cpu/execution_plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "backends/cpu/descriptors/use_counts.hpp"
#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/layout/assign_layouts.hpp"
#include "backends/cpu/lowering/lower_graph.hpp"
#include "mithril/backend/meter.hpp"
#include "mithril/eval/memory_plan.hpp"

namespace mithril::cpu_backend {
namespace {

// More than any machine has, and small enough to be rounded and added.
constexpr int64_t most_bytes = std::numeric_limits<int64_t>::max() / 4;

// Bytes that a step goes through from which on caches hold less of what was there before.
constexpr int64_t bytes_that_turn = 1 << 17;

// Where what steps read and write stands.
class Placing {
 public:
  Placing(const ShapedGraph& shaped, LoweredGraph lowered, std::span<const DonatedBuffer> donated)
      : graph_(shaped.graph()),
        shaped_(shaped),
        lowered_(std::move(lowered)),
        given_for_(graph_.values().size()),
        first_buffer_(1 + graph_.inputs().size() + graph_.constants().size()) {
    for (const DonatedBuffer& at : donated) given_for_[index(at.made)] = at.given;
  }

  void finish(Program& program, const LoweringContext& context,
              std::optional<int64_t> memory_limit) {
    find_live_ranges();
    overwrite();
    const BufferRefs refs = place(program);
    program.bases = first_buffer_ + buffers_.size();
    check_memory(program, memory_limit);
    add_constants(program, context.packed);
    if (context.native) context.native->build();
    for (size_t step = 0; step < lowered_.steps.size(); ++step) {
      program.steps.push_back(lowered_.steps[step].make(refs, scratch_[step]));
      program.passings.push_back(passing(lowered_.steps[step], *program.steps.back()));
    }
    program.untouched_steps = std::min(untouched_, program.steps.size());
    add_results(program);
  }

 private:
  void find_live_ranges() {
    for (size_t step = 0; step < lowered_.steps.size(); ++step) {
      for (const ValueId id : lowered_.steps[step].reads) {
        lowered_.storage(id).last = static_cast<int32_t>(step);
      }
    }
  }

  Passing passing(const StepDescriptor& descriptor, const Step& step) const {
    int64_t bytes = 0;
    for (const ValueId id : descriptor.reads) bytes += shaped_.bytes(id);
    for (const ValueId id : descriptor.writes) bytes += shaped_.bytes(id);
    if (bytes < bytes_that_turn) return Passing::little;
    return step.walks_either_way() ? Passing::either : Passing::forward;
  }

  size_t root(ValueId id) const {
    const size_t storage = lowered_.storage_of[index(id)];
    return lowered_.storages[storage].alias_of.value_or(storage);
  }

  void overwrite() {
    for (size_t step = 0; step < lowered_.steps.size(); ++step) {
      for (const InPlacePair& at : lowered_.steps[step].in_place_pairs) {
        Storage &from = lowered_.storages[root(at.read)], &to = lowered_.storage(at.write);
        const bool ends = from.last == static_cast<int32_t>(step) && !from.kept && !to.alias_of;
        const bool may_be_written = from.given ? given_for_[index(at.write)] == at.read : !to.kept;
        const int64_t bytes = from.given ? shaped_.bytes(at.read) : from.bytes;
        if (!ends || !may_be_written || bytes != to.bytes || is_read_otherwise(step, at.read)) {
          continue;
        }
        if (from.given) untouched_ = std::min(untouched_, step);
        to.alias_of = root(at.read);
        from.last = std::max(to.last, from.last + 1);  // nothing else may take the place
      }
    }
  }

  // Whether the step reads a view of this value, too.
  bool is_read_otherwise(size_t step, ValueId read) const {
    const std::vector<ValueId>& reads = lowered_.steps[step].reads;
    return std::any_of(reads.begin(), reads.end(),
                       [&](ValueId other) { return other != read && root(other) == root(read); });
  }

  BufferRefs place(Program& program) {
    std::vector<LiveRange> live_ranges;
    int64_t bytes = 0;
    for (const Storage& storage : lowered_.storages) {
      if (storage.given) continue;
      bytes += std::min(storage.bytes, most_bytes - bytes + 1);
      if (!storage.kept && !storage.alias_of)
        live_ranges.push_back({storage.bytes, storage.first, storage.last});
    }
    for (size_t step = 0; step < lowered_.steps.size(); ++step) {
      const auto at = static_cast<int32_t>(step);
      live_ranges.push_back({lowered_.steps[step].scratch_bytes, at, at});
    }
    if (bytes > most_bytes) refuse_memory(bytes, std::nullopt);
    const MemoryPlan plan = plan_memory(live_ranges);
    program.arena_bytes = plan.bytes;
    auto offset = plan.offsets.begin();
    for (Storage& storage : lowered_.storages) {
      if (storage.given || storage.alias_of) continue;
      if (!storage.kept) {
        storage.given = BufferRef{0, *offset++};
        continue;
      }
      const size_t base = first_buffer_ + buffers_.size();
      buffers_.push_back(storage.made);
      program.buffer_bytes += storage.bytes;
      storage.given = BufferRef{static_cast<int32_t>(base), 0};
    }
    for (; offset != plan.offsets.end(); ++offset) scratch_.push_back({0, *offset});
    BufferRefs refs;
    refs.reserve(lowered_.storage_of.size());
    for (const size_t storage : lowered_.storage_of) {
      refs.push_back(
          *lowered_.storages[lowered_.storages[storage].alias_of.value_or(storage)].given);
    }
    return refs;
  }

  void add_results(Program& program) const {
    const size_t inputs = graph_.inputs().size();
    std::vector<size_t> result_of(buffers_.size(), SIZE_MAX);
    for (const Output& output : graph_.outputs()) {
      const ValueId id = output.value;
      const auto base = static_cast<size_t>(lowered_.storages[root(id)].given->base);
      if (base <= inputs) {
        program.results.push_back({Result::From::input, base - 1});
      } else if (base < first_buffer_) {
        const auto at = std::find_if(program.constants.begin(), program.constants.end(),
                                     [&](const HeldConstant& held) { return held.base == base; });
        program.results.push_back(
            {Result::From::constant, static_cast<size_t>(at - program.constants.begin())});
      } else if (size_t& known = result_of[base - first_buffer_]; known != SIZE_MAX) {
        program.results.push_back({Result::From::result, known});
      } else {
        known = program.results.size();
        program.results.push_back(
            {Result::From::buffer, base, shaped_.dtype(id), shaped_.dims(id)});
      }
    }
  }

  // Those that steps read where they stand, or that runs give; others are packed.
  void add_constants(Program& program, PackedConstants& packed) const {
    const size_t first = 1 + graph_.inputs().size();
    std::set<size_t> read;
    const auto reads = [&](ValueId id) {
      const auto base = static_cast<size_t>(lowered_.storages[root(id)].given->base);
      if (base >= first && base < first_buffer_) read.insert(base);
    };
    for (const StepDescriptor& step : lowered_.steps)
      std::for_each(step.reads.begin(), step.reads.end(), reads);
    for (const Output& output : graph_.outputs()) reads(output.value);
    for (const size_t base : read) {
      program.constants.push_back({base, packed.plain(graph_.constants()[base - first].value)});
    }
  }

  void check_memory(const Program& program, std::optional<int64_t> limit) const {
    static const int64_t present = sysconf(_SC_PHYS_PAGES) * int64_t{sysconf(_SC_PAGESIZE)};
    const int64_t asked = program.arena_bytes + program.buffer_bytes;
    if (limit && asked > *limit) refuse_memory(asked, limit);
    if (asked > present) refuse_memory(asked, std::nullopt);
  }

  [[noreturn]] void refuse_memory(int64_t asked, std::optional<int64_t> limit) const {
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
  LoweredGraph lowered_;
  std::vector<std::optional<ValueId>> given_for_;  // per value: the input that is donated for it
  size_t untouched_ = SIZE_MAX;     // steps before the first that writes where an input stands
  std::vector<BufferRef> scratch_;  // per step
  std::vector<ValueId> buffers_;
  const size_t first_buffer_;
};

// Outputs that stand for nothing else, of inputs that are no outputs.
std::vector<DonatedBuffer> donated_values(const Graph& graph, std::span<const Donation> donations) {
  std::vector<int> times_output(graph.values().size());
  for (const Output& output : graph.outputs()) ++times_output[index(output.value)];
  std::vector<DonatedBuffer> donated;
  for (const Donation& at : donations) {
    const ValueId made = graph.outputs()[at.output].value, given = graph.inputs()[at.input];
    if (times_output[index(made)] == 1 && times_output[index(given)] == 0) {
      donated.push_back({made, given});
    }
  }
  return donated;
}

}  // namespace

Program make_program(const Graph& graph, Plan plan, const ProgramOptions& options) {
  Program program{.plan = std::move(plan)};
  ShapedGraph shaped(graph, program.plan);
  std::vector<std::optional<ValueId>> transposes(graph.values().size());
  const std::vector<int> use_counts =
      count_uses(shaped, options.observer ? options.shown : nullptr);
  NativeCode native;
  const LoweringContext context{.shaped = shaped,
                                .packed = options.packed,
                                .threads = options.threads,
                                .transposes = transposes,
                                .use_counts = use_counts,
                                .winograd = options.winograd,
                                .native = options.native ? &native : nullptr,
                                .weight_dtype = options.weight_dtype,
                                .bfloat16_products = options.bfloat16_products};
  if (!options.observer) {
    ChannelBlocks blocks = choose_blocks(context);
    shaped.put_in_blocks(std::move(blocks.values), blocks.channels);
  }
  const std::vector<DonatedBuffer> donated = donated_values(graph, options.donations);
  LoweredGraph lowered = lower_graph(context, transposes,
                                     {.fuse = options.fuse,
                                      .donated = donated,
                                      .observer = options.observer,
                                      .shown = options.shown});
  Placing(shaped, std::move(lowered), donated).finish(program, context, options.memory_limit);
  program.native = native.library();
  if (options.native) program.native_note = native.note();
  return program;
}

}  // namespace mithril::cpu_backend
