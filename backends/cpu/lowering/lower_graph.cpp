#include "backends/cpu/lowering/lower_graph.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/descriptors/reference_steps.hpp"
#include "backends/cpu/elementwise/elementwise_dtype.hpp"
#include "backends/cpu/elementwise/program_builder.hpp"
#include "backends/cpu/elementwise/program_step.hpp"
#include "backends/cpu/lowering/kernel_registry.hpp"
#include "backends/cpu/ops/lower_ops.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

class GraphLowering {
 public:
  explicit GraphLowering(const LoweringContext& context)
      : graph_(context.shaped.graph()),
        shaped_(context.shaped),
        context_(context),
        lowered_{.storage_of = std::vector<size_t>(graph_.values().size())},
        is_kept_(graph_.values().size()),
        transposes_(graph_.values().size()),
        deferred_by_(graph_.values().size()) {
    int32_t base = 1;
    for (const ValueId id : graph_.inputs()) lowered_.add({id, BufferRef{base++, 0}});
    for (const Constant& constant : graph_.constants()) {
      lowered_.add({constant.value, BufferRef{base++, 0}});
    }
  }

  LoweredGraph run(const NodeGroups& groups) {
    find_kept(groups);
    for (const std::vector<size_t>& group : groups) add_group(group);
    return std::move(lowered_);
  }

 private:
  // Marks the values that are read outside the group that makes them.
  void find_kept(const NodeGroups& groups) {
    std::vector<size_t> group_of(shaped_.node_count());
    for (size_t group = 0; group < groups.size(); ++group) {
      for (const size_t node : groups[group]) group_of[node] = group;
    }
    for (const Output& output : graph_.outputs()) is_kept_[index(output.value)] = true;
    for (size_t node = 0; node < shaped_.node_count(); ++node) {
      for (const ValueId id : shaped_.tensors(node)) {
        const size_t producer = shaped_.producer(id);
        if (producer == ShapedGraph::no_node || group_of[producer] != group_of[node]) {
          is_kept_[index(id)] = true;
        }
      }
    }
  }

  void add_group(const std::vector<size_t>& nodes) {
    check_interrupt();
    if (nodes.size() > 1 && add_elementwise(nodes)) return;
    for (const size_t node : nodes) {
      for (const ValueId id : shaped_.node(node).outputs) is_kept_[index(id)] = true;
      add_node(node);
    }
  }

  bool add_elementwise(std::span<const size_t> nodes) {
    std::vector<ValueId> kept;
    for (const size_t node : nodes) {
      const ValueId made = shaped_.node(node).outputs.front();
      if (is_kept_[index(made)]) kept.push_back(made);
    }
    auto program = make_elementwise_program(shaped_, nodes, kept);
    if (!program || !fits_a_step(*program)) return false;
    StepDescriptor descriptor = lower_elementwise(context_, *std::move(program));
    for (const ValueId id : descriptor.reads) materialize(id);
    add(std::move(descriptor), nodes);
    return true;
  }

  // A transpose waits until a step reads it. GEMMs read its source instead.
  bool defer_transpose(size_t i) {
    const ValueId made = shaped_.node(i).outputs.front();
    if (!context_.config.fuse || shaped_.is_output(made) || context_.is_observed(i)) return false;
    transposes_[index(made)] = transposed_by(shaped_, i);
    deferred_by_[index(made)] = i;
    return transposes_[index(made)].has_value();
  }

  void materialize(ValueId id) {
    if (!transposes_[index(id)]) return;
    transposes_[index(id)].reset();
    const size_t nodes[] = {deferred_by_[index(id)]};
    add(*lower_node(context_, nodes[0], transposes_), nodes);
  }

  void add_node(size_t i) {
    const Node& node = shaped_.node(i);
    const size_t nodes[] = {i};
    if (defer_transpose(i)) return;
    if ((node.op->keeps_elements || is_whole_slice(shaped_, i)) && keeps_size(node)) {
      materialize(source(node));
      if (!context_.is_observed(i) && may_be_view(node)) return add_view(node);
      add(copied(shaped_, i), nodes);
    } else if (context_.config.lower_nested && has_nested_graphs(node)) {
      add(context_.config.lower_nested(context_, i), nodes);
    } else if (auto descriptor = lower_node(context_, i, transposes_)) {
      add(*std::move(descriptor), nodes);
    } else if (!elementwise_dtype(shaped_, i) || !add_elementwise(nodes)) {
      add(evaluated(shaped_, i), nodes);
    }
    if (context_.is_observed(i)) add(observed(shaped_, i, *context_.config.observer), nodes);
  }

  static ValueId source(const Node& node) { return *tensor_of(node.arguments.front()); }

  // Whether the sizes and dtypes agree. `eval` reports sizes that shape inference could not compare
  // as symbols.
  bool keeps_size(const Node& node) const {
    return tensor_of(node.arguments.front()) &&
           shaped_.count(source(node)) == shaped_.count(node.outputs.front()) &&
           shaped_.dtype(source(node)) == shaped_.dtype(node.outputs.front());
  }

  // Each output has its own buffer, so it is not a view of an input, a constant or another output.
  bool may_be_view(const Node& node) const {
    const Storage& storage = lowered_.storage(source(node));
    return !shaped_.is_output(node.outputs.front()) || (!storage.given && !storage.kept);
  }

  void add_view(const Node& node) {
    const ValueId made = node.outputs.front();
    lowered_.storage_of[index(made)] = lowered_.storage_of[index(source(node))];
    if (shaped_.is_output(made)) {
      lowered_.storage(made).kept = true;
      lowered_.storage(made).made = made;
    }
  }

  void add(StepDescriptor descriptor, std::span<const size_t> nodes) {
    for (StepDescriptor& before : descriptor.before) add(std::move(before), nodes);
    for (const ValueId id : descriptor.reads) materialize(id);
    for (const ValueId id : descriptor.writes) {
      lowered_.add({.made = id, .bytes = shaped_.buffer_bytes(id), .kept = shaped_.is_output(id)});
    }
    descriptor.nodes.assign(nodes.begin(), nodes.end());
    lowered_.steps.push_back(std::move(descriptor));
  }

  const Graph& graph_;
  const ShapedGraph& shaped_;
  const LoweringContext& context_;
  LoweredGraph lowered_;
  std::vector<bool> is_kept_;  // per value: a node outside its group reads it, or it is an output
  std::vector<std::optional<ValueId>> transposes_;  // see KernelCall
  std::vector<size_t> deferred_by_;  // per value of these: the node that would compute it
};

}  // namespace

LoweredGraph lower(const LoweringContext& context, const NodeGroups& groups) {
  return GraphLowering(context).run(groups);
}

}  // namespace mithril::cpu_backend
