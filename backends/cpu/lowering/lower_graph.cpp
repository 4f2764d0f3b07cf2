#include "backends/cpu/lowering/lower_graph.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "backends/cpu/descriptors/reference_steps.hpp"
#include "backends/cpu/descriptors/use_counts.hpp"
#include "backends/cpu/elementwise/program_step.hpp"
#include "backends/cpu/fusion/elementwise_groups.hpp"
#include "backends/cpu/fusion/epilogue.hpp"
#include "backends/cpu/fusion/row_fusion.hpp"
#include "backends/cpu/lowering/kernel_registry.hpp"
#include "backends/cpu/lowering/schedule.hpp"
#include "backends/cpu/ops/movement.hpp"
#include "mithril/base/interrupt.hpp"

namespace mithril::cpu_backend {
namespace {

class GraphLowering {
 public:
  GraphLowering(const LoweringContext& context, std::vector<std::optional<ValueId>>& transposes,
                const LoweringOptions& options)
      : graph_(context.shaped.graph()),
        shaped_(context.shaped),
        context_(context),
        options_(options),
        lowered_{.storage_of = std::vector<size_t>(graph_.values().size())},
        is_output_(graph_.values().size()),
        is_donated_(graph_.values().size()),
        transposes_(transposes),
        waiting_(graph_.values().size()) {
    for (const Output& output : graph_.outputs()) is_output_[index(output.value)] = true;
    for (const DonatedBuffer& donated : options.donated) is_donated_[index(donated.made)] = true;
    int32_t base = 1;
    for (const ValueId id : graph_.inputs()) lowered_.add({id, BufferRef{base++, 0}});
    for (const Constant& constant : graph_.constants()) {
      lowered_.add({constant.value, BufferRef{base++, 0}});
    }
  }

  LoweredGraph run() {
    const std::vector<std::vector<size_t>> groups =
        in_order(shaped_, fused_groups(shaped_, nodes_alone()), options_.donated);
    find_kept(groups);
    for (const std::vector<size_t>& group : groups) add_group(group);
    if (options_.fuse && !options_.observer) join_parts(context_, lowered_);
    return std::move(lowered_);
  }

 private:
  bool is_observed(size_t node) const { return options_.observer && (*options_.shown)[node]; }

  std::vector<bool> nodes_alone() const {
    std::vector<bool> alone;
    for (size_t i = 0; i < shaped_.node_count(); ++i) {
      alone.push_back(!options_.fuse || shaped_.node(i).op->keeps_elements || is_observed(i));
    }
    return alone;
  }

  // What is read outside the group that makes it.
  void find_kept(const std::vector<std::vector<size_t>>& groups) {
    std::vector<size_t> group_of(shaped_.node_count()), made_by(graph_.values().size(), SIZE_MAX);
    for (size_t group = 0; group < groups.size(); ++group) {
      for (const size_t node : groups[group]) {
        for (const ValueId id : shaped_.node(node).outputs) made_by[index(id)] = group;
      }
      for (const size_t node : groups[group]) group_of[node] = group;
    }
    is_kept_ = is_output_;
    for (size_t node = 0; node < shaped_.node_count(); ++node) {
      for (const int32_t at : shaped_.planned(node).tensors) {
        if (at < 0) continue;
        const auto value = static_cast<size_t>(at);
        if (made_by[value] != group_of[node]) is_kept_[value] = true;
      }
    }
  }

  void add_group(const std::vector<size_t>& nodes) {
    check_interrupt();
    if (nodes.size() > 1 && add_loop(nodes)) return;
    for (const size_t node : nodes) {
      for (const ValueId id : shaped_.node(node).outputs) is_kept_[index(id)] = true;
      add_node(node);
    }
  }

  bool add_loop(std::span<const size_t> nodes) {
    std::vector<ValueId> kept;
    for (const size_t node : nodes) {
      const ValueId made = shaped_.node(node).outputs.front();
      if (is_kept_[index(made)]) kept.push_back(made);
    }
    auto loop = make_loop(shaped_, nodes, kept);
    if (!loop || !fits_a_step(*loop)) return false;
    StepDescriptor descriptor = lower_loop(context_, *loop);
    for (const ValueId id : descriptor.reads) make_waiting(id);
    if (!finish_with(descriptor, *loop, nodes)) add_draft(std::move(descriptor));
    return true;
  }

  // A loop that alone reads what a step makes, which is the last that it waits for, may be done
  // part by part as it is made, in the place of what comes out; or, where that stands in the place
  // of inputs or has elements of another size, beside it.
  bool finish_with(const StepDescriptor& descriptor, const Loop& loop,
                   std::span<const size_t> nodes) {
    if (!options_.fuse || descriptor.reads.empty()) return false;
    const ValueId raw = last_made(descriptor.reads);
    const Storage& made = lowered_.storage(raw);
    if (made.given || made.made != raw || !is_read_by(raw, nodes)) return false;
    const auto step = static_cast<size_t>(made.first);
    if (!lowered_.steps[step].make_finished) return false;
    const std::optional<ValueId> place = place_of(raw, descriptor);
    const bool beside = shaped_.count(raw) == shaped_.count(descriptor.writes.front());
    if (!place && !beside) return false;
    const bool in_tiles = !place && lowered_.steps[step].makes_tiles;
    if (place || in_tiles) lowered_.storage(raw).bytes = 0;
    if (in_tiles) lowered_.storage(raw).given = BufferRef{BufferRef::tile, 0};
    const int32_t first = made.first;
    lowered_.steps[step] =
        finished(context_, std::move(lowered_.steps[step]), descriptor, loop, {raw, place});
    add_writes(lowered_.steps[step], first);
    if (place) lowered_.storage_of[index(raw)] = lowered_.storage_of[index(*place)];
    return true;
  }

  // What the loop may write where it reads `raw`.
  std::optional<ValueId> place_of(ValueId raw, const StepDescriptor& descriptor) const {
    for (const InPlacePair& at : descriptor.in_place_pairs) {
      if (at.read == raw && !is_donated_[index(at.write)]) return at.write;
    }
    return std::nullopt;
  }

  ValueId last_made(const std::vector<ValueId>& values) const {
    return *std::max_element(values.begin(), values.end(),
                             [&](ValueId a, ValueId b) { return made_in(a) < made_in(b); });
  }

  int32_t made_in(ValueId id) const {
    const Storage& storage = lowered_.storage(id);
    return storage.given ? -1 : storage.first;
  }

  bool is_read_by(ValueId id, std::span<const size_t> nodes) const {
    int use_counts = 0;
    for (const size_t node : nodes) {
      const std::vector<int32_t>& tensors = shaped_.planned(node).tensors;
      use_counts += static_cast<int>(
          std::count(tensors.begin(), tensors.end(), static_cast<int32_t>(index(id))));
    }
    return use_counts == context_.use_counts[index(id)];
  }

  // Where products alone read what the node makes, nobody makes it.
  bool waits(size_t i) {
    const ValueId made = shaped_.node(i).outputs.front();
    if (!options_.fuse || is_output_[index(made)] || is_observed(i)) return false;
    transposes_[index(made)] = transposed_by(shaped_, i);
    waiting_[index(made)] = i;
    return transposes_[index(made)].has_value();
  }

  void make_waiting(ValueId id) {
    if (!transposes_[index(id)]) return;
    transposes_[index(id)].reset();
    add_draft(*lower_node(context_, waiting_[index(id)]));
  }

  void add_node(size_t i) {
    const Node& node = shaped_.node(i);
    const size_t nodes[] = {i};
    if (waits(i)) return;
    if (node.op->keeps_elements && keeps_size(node)) {
      make_waiting(source(node));
      if (!is_observed(i) && may_be_view(node)) return add_view(node);
      add_draft(copied(shaped_, i));
    } else if (auto descriptor = lower_node(context_, i)) {
      add_draft(*std::move(descriptor));
    } else if (!loop_dtype(shaped_, i) || !add_loop(nodes)) {
      add_draft(evaluated(shaped_, i));
    }
    if (is_observed(i)) lowered_.steps.push_back(shown(shaped_, i, *options_.observer));
  }

  static ValueId source(const Node& node) { return *tensor_of(node.arguments.front()); }

  // What was let through while sizes were symbols is refused by `eval`.
  bool keeps_size(const Node& node) const {
    return tensor_of(node.arguments.front()) &&
           shaped_.count(source(node)) == shaped_.count(node.outputs.front()) &&
           shaped_.dtype(source(node)) == shaped_.dtype(node.outputs.front());
  }

  // Each output has elements of its own.
  bool may_be_view(const Node& node) const {
    const Storage& storage = lowered_.storage(source(node));
    return !is_output_[index(node.outputs.front())] || (!storage.given && !storage.kept);
  }

  void add_view(const Node& node) {
    const ValueId made = node.outputs.front();
    lowered_.storage_of[index(made)] = lowered_.storage_of[index(source(node))];
    if (is_output_[index(made)]) {
      lowered_.storage(made).kept = true;
      lowered_.storage(made).made = made;
    }
  }

  void add_draft(StepDescriptor descriptor) {
    for (StepDescriptor& before : descriptor.before) add_draft(std::move(before));
    for (const ValueId id : descriptor.reads) make_waiting(id);
    add_writes(descriptor, static_cast<int32_t>(lowered_.steps.size()));
    lowered_.steps.push_back(std::move(descriptor));
  }

  void add_writes(const StepDescriptor& descriptor, int32_t step) {
    for (const ValueId id : descriptor.writes) {
      lowered_.add({.made = id,
                    .bytes = shaped_.bytes(id),
                    .kept = is_output_[index(id)],
                    .first = step,
                    .last = step});
    }
  }

  const Graph& graph_;
  const ShapedGraph& shaped_;
  const LoweringContext& context_;
  const LoweringOptions& options_;
  LoweredGraph lowered_;
  std::vector<bool> is_output_;   // per value
  std::vector<bool> is_donated_;  // per value: it may be made in the place of an input
  std::vector<bool> is_kept_;     // per value: something outside its group reads it
  // Per value: of what it is the transpose, as long as it is not made, and the node that makes it.
  std::vector<std::optional<ValueId>>& transposes_;
  std::vector<size_t> waiting_;
};

}  // namespace

LoweredGraph lower_graph(const LoweringContext& context,
                         std::vector<std::optional<ValueId>>& transposes,
                         const LoweringOptions& options) {
  return GraphLowering(context, transposes, options).run();
}

}  // namespace mithril::cpu_backend
