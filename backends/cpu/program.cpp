#include "backends/cpu/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "backends/cpu/finished.hpp"
#include "backends/cpu/fusion.hpp"
#include "backends/cpu/kernel_drafts.hpp"
#include "backends/cpu/loop_step.hpp"
#include "backends/cpu/movement.hpp"
#include "backends/cpu/plain_steps.hpp"
#include "backends/cpu/readers.hpp"
#include "mithril/backend/meter.hpp"
#include "mithril/eval/packing.hpp"

namespace mithril::cpu_backend {
namespace {

// A piece of memory that one value was made in, and that views of it share.
struct Storage {
  ValueId made;
  std::optional<Place> given = {};  // of an input or a constant
  int64_t bytes = 0;
  bool kept = false;                // one of its values is an output
  std::optional<size_t> same = {};  // the storage in whose place it is
  int32_t first = 0, last = 0;
};

// More than any machine has, and small enough to be rounded and added.
constexpr int64_t most_bytes = std::numeric_limits<int64_t>::max() / 4;

class Planning {
 public:
  // The context sees `transposes` change as nodes are added.
  Planning(const Context& context, std::vector<std::optional<ValueId>>& transposes,
           const ProgramOptions& options)
      : graph_(context.sized.graph()),
        sized_(context.sized),
        context_(context),
        observer_(options.observer),
        shown_(options.shown),
        fuse_(options.fuse),
        storage_of_(graph_.values().size()),
        is_output_(graph_.values().size()),
        transposes_(transposes),
        waiting_(graph_.values().size()) {
    for (const Output& output : graph_.outputs()) is_output_[index(output.value)] = true;
    int32_t base = 1;
    for (const ValueId id : graph_.inputs()) add_storage({id, Place{base++, 0}});
    for (const Constant& constant : graph_.constants()) {
      add_storage({constant.value, Place{base++, 0}});
    }
    first_buffer_ = static_cast<size_t>(base);
    const std::vector<std::vector<size_t>> groups = fused_groups(sized_, nodes_alone());
    find_kept(groups);
    for (const std::vector<size_t>& group : groups) add_group(group);
  }

  void finish(Program& program, std::optional<int64_t> memory_limit) {
    learn_lifetimes();
    overwrite();
    const Places places = place(program);
    program.bases = first_buffer_ + buffers_.size();
    check_memory(program, memory_limit);
    if (context_.native) context_.native->build();
    for (size_t step = 0; step < drafts_.size(); ++step) {
      program.steps.push_back(drafts_[step].make(places, scratch_[step]));
    }
    add_results(program);
  }

 private:
  // ---- what there is to do ----

  bool is_observed(size_t node) const { return observer_ && (*shown_)[node]; }

  std::vector<bool> nodes_alone() const {
    std::vector<bool> alone;
    for (size_t i = 0; i < sized_.node_count(); ++i) {
      alone.push_back(!fuse_ || sized_.node(i).op->keeps_elements || is_observed(i));
    }
    return alone;
  }

  // What is read outside the group that makes it.
  void find_kept(const std::vector<std::vector<size_t>>& groups) {
    std::vector<size_t> group_of(sized_.node_count()), made_by(graph_.values().size(), SIZE_MAX);
    for (size_t group = 0; group < groups.size(); ++group) {
      for (const size_t node : groups[group]) {
        for (const ValueId id : sized_.node(node).outputs) made_by[index(id)] = group;
      }
      for (const size_t node : groups[group]) group_of[node] = group;
    }
    is_kept_ = is_output_;
    for (size_t node = 0; node < sized_.node_count(); ++node) {
      for (const int32_t at : sized_.planned(node).tensors) {
        if (at < 0) continue;
        const auto value = static_cast<size_t>(at);
        if (made_by[value] != group_of[node]) is_kept_[value] = true;
      }
    }
  }

  void add_group(const std::vector<size_t>& nodes) {
    if (nodes.size() > 1 && add_loop(nodes)) return;
    for (const size_t node : nodes) {
      for (const ValueId id : sized_.node(node).outputs) is_kept_[index(id)] = true;
      add_node(node);
    }
  }

  bool add_loop(std::span<const size_t> nodes) {
    std::vector<ValueId> kept;
    for (const size_t node : nodes) {
      const ValueId made = sized_.node(node).outputs.front();
      if (is_kept_[index(made)]) kept.push_back(made);
    }
    auto loop = make_loop(sized_, nodes, kept);
    if (!loop || !fits_a_step(*loop)) return false;
    Draft draft = draft_loop(context_, *loop);
    for (const ValueId id : draft.reads) make_waiting(id);
    if (!finish_with(draft, *loop, nodes)) add_draft(std::move(draft));
    return true;
  }

  // A loop that alone reads what a step makes, which is the last that it waits for, may be done
  // part by part as it is made, in the place of what comes out.
  bool finish_with(const Draft& draft, const Loop& loop, std::span<const size_t> nodes) {
    if (!fuse_ || draft.reads.empty()) return false;
    const ValueId raw = last_made(draft.reads);
    const Storage& made = storages_[storage_of_[index(raw)]];
    if (made.given || made.made != raw || !is_read_by(raw, nodes)) return false;
    const auto step = static_cast<size_t>(made.first);
    const auto place = std::find_if(draft.overwrites.begin(), draft.overwrites.end(),
                                    [&](const Overwrite& at) { return at.read == raw; });
    if (!drafts_[step].make_finished || place == draft.overwrites.end()) return false;
    storages_[storage_of_[index(raw)]].bytes = 0;
    drafts_[step] = finished(context_, std::move(drafts_[step]), draft, loop, *place);
    add_writes(drafts_[step], made.first);
    storage_of_[index(raw)] = storage_of_[index(place->write)];
    return true;
  }

  ValueId last_made(const std::vector<ValueId>& values) const {
    return *std::max_element(values.begin(), values.end(),
                             [&](ValueId a, ValueId b) { return made_in(a) < made_in(b); });
  }

  int32_t made_in(ValueId id) const {
    const Storage& storage = storages_[storage_of_[index(id)]];
    return storage.given ? -1 : storage.first;
  }

  bool is_read_by(ValueId id, std::span<const size_t> nodes) const {
    int readers = 0;
    for (const size_t node : nodes) {
      const std::vector<int32_t>& tensors = sized_.planned(node).tensors;
      readers += static_cast<int>(
          std::count(tensors.begin(), tensors.end(), static_cast<int32_t>(index(id))));
    }
    return readers == context_.readers[index(id)];
  }

  // Where products alone read what the node makes, nobody makes it.
  bool waits(size_t i) {
    const ValueId made = sized_.node(i).outputs.front();
    if (!fuse_ || is_output_[index(made)] || is_observed(i)) return false;
    transposes_[index(made)] = transposed_by(sized_, i);
    waiting_[index(made)] = i;
    return transposes_[index(made)].has_value();
  }

  void make_waiting(ValueId id) {
    if (!transposes_[index(id)]) return;
    transposes_[index(id)].reset();
    add_draft(*draft_kernel(context_, waiting_[index(id)]));
  }

  void add_node(size_t i) {
    const Node& node = sized_.node(i);
    const size_t nodes[] = {i};
    if (waits(i)) return;
    if (node.op->keeps_elements && keeps_size(node)) {
      make_waiting(source(node));
      if (!is_observed(i) && may_be_view(node)) return add_view(node);
      add_draft(copied(sized_, i));
    } else if (auto draft = draft_kernel(context_, i)) {
      add_draft(*std::move(draft));
    } else if (!loop_dtype(sized_, i) || !add_loop(nodes)) {
      add_draft(evaluated(sized_, i));
    }
    if (is_observed(i)) drafts_.push_back(shown(sized_, i, *observer_));
  }

  static ValueId source(const Node& node) { return *tensor_of(node.arguments.front()); }

  // What was let through while sizes were symbols is refused by `eval`.
  bool keeps_size(const Node& node) const {
    return tensor_of(node.arguments.front()) &&
           sized_.count(source(node)) == sized_.count(node.outputs.front()) &&
           sized_.dtype(source(node)) == sized_.dtype(node.outputs.front());
  }

  // Each output has elements of its own.
  bool may_be_view(const Node& node) const {
    const Storage& storage = storages_[storage_of_[index(source(node))]];
    return !is_output_[index(node.outputs.front())] || (!storage.given && !storage.kept);
  }

  void add_view(const Node& node) {
    const ValueId made = node.outputs.front();
    storage_of_[index(made)] = storage_of_[index(source(node))];
    if (is_output_[index(made)]) {
      storages_[storage_of_[index(made)]].kept = true;
      storages_[storage_of_[index(made)]].made = made;
    }
  }

  void add_draft(Draft draft) {
    for (const ValueId id : draft.reads) make_waiting(id);
    add_writes(draft, static_cast<int32_t>(drafts_.size()));
    drafts_.push_back(std::move(draft));
  }

  void add_writes(const Draft& draft, int32_t step) {
    for (const ValueId id : draft.writes) {
      add_storage({.made = id,
                   .bytes = sized_.bytes(id),
                   .kept = is_output_[index(id)],
                   .first = step,
                   .last = step});
    }
  }

  void add_storage(Storage storage) {
    storage_of_[index(storage.made)] = storages_.size();
    storages_.push_back(storage);
  }

  // ---- where it stands ----

  void learn_lifetimes() {
    for (size_t step = 0; step < drafts_.size(); ++step) {
      for (const ValueId id : drafts_[step].reads) {
        storages_[storage_of_[index(id)]].last = static_cast<int32_t>(step);
      }
    }
  }

  size_t root(ValueId id) const {
    const size_t storage = storage_of_[index(id)];
    return storages_[storage].same.value_or(storage);
  }

  void overwrite() {
    for (size_t step = 0; step < drafts_.size(); ++step) {
      for (const Overwrite& at : drafts_[step].overwrites) {
        Storage &from = storages_[root(at.read)], &to = storages_[storage_of_[index(at.write)]];
        const bool ends = from.last == static_cast<int32_t>(step) && !from.given && !from.kept;
        if (!ends || to.kept || from.bytes != to.bytes || is_read_otherwise(step, at.read))
          continue;
        to.same = root(at.read);
        from.last = std::max(to.last, from.last + 1);  // nothing else may take the place
      }
    }
  }

  // Whether the step reads a view of this value, too.
  bool is_read_otherwise(size_t step, ValueId read) const {
    const std::vector<ValueId>& reads = drafts_[step].reads;
    return std::any_of(reads.begin(), reads.end(),
                       [&](ValueId other) { return other != read && root(other) == root(read); });
  }

  Places place(Program& program) {
    std::vector<Stay> lifetimes;
    for (const Storage& storage : storages_) {
      if (storage.given) continue;
      program.value_bytes += std::min(storage.bytes, most_bytes - program.value_bytes + 1);
      if (!storage.kept && !storage.same)
        lifetimes.push_back({storage.bytes, storage.first, storage.last});
    }
    for (size_t step = 0; step < drafts_.size(); ++step) {
      const auto at = static_cast<int32_t>(step);
      lifetimes.push_back({drafts_[step].scratch_bytes, at, at});
    }
    if (program.value_bytes > most_bytes) refuse_memory(program.value_bytes, std::nullopt);
    const Packing packing = pack(lifetimes);
    program.arena_bytes = packing.bytes;
    auto offset = packing.offsets.begin();
    for (Storage& storage : storages_) {
      if (storage.given || storage.same) continue;
      if (!storage.kept) {
        storage.given = Place{0, *offset++};
        continue;
      }
      const size_t base = first_buffer_ + buffers_.size();
      buffers_.push_back(storage.made);
      program.buffer_bytes += storage.bytes;
      storage.given = Place{static_cast<int32_t>(base), 0};
    }
    for (; offset != packing.offsets.end(); ++offset) scratch_.push_back({0, *offset});
    Places places;
    places.reserve(storage_of_.size());
    for (const size_t storage : storage_of_) {
      places.push_back(*storages_[storages_[storage].same.value_or(storage)].given);
    }
    return places;
  }

  void add_results(Program& program) const {
    const size_t inputs = graph_.inputs().size();
    std::vector<size_t> result_of(buffers_.size(), SIZE_MAX);
    for (const Output& output : graph_.outputs()) {
      const ValueId id = output.value;
      const auto base = static_cast<size_t>(storages_[storage_of_[index(id)]].given->base);
      if (base <= inputs) {
        program.results.push_back({Result::From::input, base - 1});
      } else if (base < first_buffer_) {
        program.results.push_back({Result::From::constant, base - 1 - inputs});
      } else if (size_t& known = result_of[base - first_buffer_]; known != SIZE_MAX) {
        program.results.push_back({Result::From::result, known});
      } else {
        known = program.results.size();
        program.results.push_back({Result::From::buffer, base, sized_.dtype(id), sized_.dims(id)});
      }
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
    const auto bytes = [&](const Node& node) { return sized_.bytes(node.outputs.front()); };
    for (const Node& node : graph_.nodes()) {
      if (bytes(node) > bytes(*largest)) largest = &node;
    }
    out_of_memory({.asked = asked, .limit = limit}, graph_.value(largest->outputs.front()).name,
                  largest->op->name);
  }

  const Graph& graph_;
  const Sized& sized_;
  const Context& context_;
  const Observer* observer_;
  const std::vector<bool>* shown_;
  const bool fuse_;
  std::vector<Storage> storages_;
  std::vector<size_t> storage_of_;  // per value
  std::vector<bool> is_output_;     // per value
  std::vector<bool> is_kept_;       // per value: something outside its group reads it
  // Per value: of what it is the transpose, as long as it is not made, and the node that makes it.
  std::vector<std::optional<ValueId>>& transposes_;
  std::vector<size_t> waiting_;
  std::vector<Draft> drafts_;
  std::vector<Place> scratch_;  // per draft
  std::vector<ValueId> buffers_;
  size_t first_buffer_ = 0;
};

}  // namespace

Program make_program(const Graph& graph, Plan plan, const ProgramOptions& options) {
  Program program{.plan = std::move(plan)};
  const Sized sized(graph, program.plan);
  std::vector<std::optional<ValueId>> transposes(graph.values().size());
  const std::vector<int> readers = count_readers(sized, options.observer ? options.shown : nullptr);
  NativeCode native;
  const Context context{.sized = sized,
                        .packed = options.packed,
                        .threads = options.threads,
                        .transposes = transposes,
                        .readers = readers,
                        .winograd = options.winograd,
                        .native = options.native ? &native : nullptr,
                        .weight_dtype = options.weight_dtype,
                        .bfloat16_products = options.bfloat16_products};
  Planning(context, transposes, options).finish(program, options.memory_limit);
  program.native = native.library();
  if (options.native) program.native_note = native.note();
  return program;
}

}  // namespace mithril::cpu_backend
