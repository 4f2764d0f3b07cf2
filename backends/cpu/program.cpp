#include "backends/cpu/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "backends/cpu/kernel_drafts.hpp"
#include "backends/cpu/packing.hpp"
#include "backends/cpu/plain_steps.hpp"
#include "mithril/backend/meter.hpp"

namespace mithril::cpu_backend {
namespace {

// A piece of memory that one value was made in, and that views of it share.
struct Storage {
  ValueId made;
  std::optional<Place> given = {};  // of an input or a constant
  int64_t bytes = 0;
  bool kept = false;  // one of its values is an output
  int32_t first = 0, last = 0;
};

// More than any machine has, and small enough to be rounded and added.
constexpr int64_t most_bytes = std::numeric_limits<int64_t>::max() / 4;

class Planning {
 public:
  Planning(const Context& context, const Observer* observer)
      : graph_(context.sized.graph()),
        sized_(context.sized),
        context_(context),
        observer_(observer),
        storage_of_(graph_.values().size()),
        is_output_(graph_.values().size()) {
    for (const Output& output : graph_.outputs()) is_output_[index(output.value)] = true;
    int32_t base = 1;
    for (const ValueId id : graph_.inputs()) add_storage({id, Place{base++, 0}});
    for (const Constant& constant : graph_.constants()) {
      add_storage({constant.value, Place{base++, 0}});
    }
    first_buffer_ = static_cast<size_t>(base);
    for (size_t i = 0; i < sized_.node_count(); ++i) add_node(i);
  }

  void finish(Program& program, std::optional<int64_t> memory_limit) {
    learn_lifetimes();
    const Places places = place(program);
    program.bases = first_buffer_ + buffers_.size();
    check_memory(program, memory_limit);
    for (size_t step = 0; step < drafts_.size(); ++step) {
      program.steps.push_back(drafts_[step].make(places, scratch_[step]));
    }
    add_results(program);
  }

 private:
  // ---- what there is to do ----

  void add_node(size_t i) {
    const Node& node = sized_.node(i);
    const bool observed = observer_ && observer_->wants(node);
    if (node.op->keeps_elements && keeps_size(node)) {
      if (!observed && may_be_view(node)) return add_view(node);
      add_draft(copied(sized_, i));
    } else if (auto draft = draft_kernel(context_, i)) {
      add_draft(*std::move(draft));
    } else {
      add_draft(evaluated(sized_, i));
    }
    if (observed) drafts_.push_back(shown(sized_, i, *observer_));
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
    const auto step = static_cast<int32_t>(drafts_.size());
    for (const ValueId id : draft.writes) {
      add_storage({.made = id,
                   .bytes = sized_.bytes(id),
                   .kept = is_output_[index(id)],
                   .first = step,
                   .last = step});
    }
    drafts_.push_back(std::move(draft));
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

  Places place(Program& program) {
    std::vector<Lifetime> lifetimes;
    for (const Storage& storage : storages_) {
      if (storage.given) continue;
      program.value_bytes += std::min(storage.bytes, most_bytes - program.value_bytes + 1);
      if (!storage.kept) lifetimes.push_back({storage.bytes, storage.first, storage.last});
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
      if (storage.given) continue;
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
    for (const size_t storage : storage_of_) places.push_back(*storages_[storage].given);
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
  std::vector<Storage> storages_;
  std::vector<size_t> storage_of_;  // per value
  std::vector<bool> is_output_;     // per value
  std::vector<Draft> drafts_;
  std::vector<Place> scratch_;  // per draft
  std::vector<ValueId> buffers_;
  size_t first_buffer_ = 0;
};

}  // namespace

Program make_program(const Graph& graph, Plan plan, const ProgramOptions& options) {
  Program program{.plan = std::move(plan)};
  const Sized sized(graph, program.plan);
  const Context context{sized, options.packed, options.threads};
  Planning(context, options.observer).finish(program, options.memory_limit);
  return program;
}

}  // namespace mithril::cpu_backend
