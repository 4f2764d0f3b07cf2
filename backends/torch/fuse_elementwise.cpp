#include "backends/torch/fuse_elementwise.hpp"

#include <algorithm>
#include <queue>
#include <unordered_set>
#include <utility>

#include "backends/torch/dtypes.hpp"
#include "backends/torch/fused_kernel.hpp"
#include "codegen/cuda_kernel.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/node_groups.hpp"

namespace mithril::torch_backend {
namespace {

constexpr size_t most_nodes_of_kernel = 32;
constexpr size_t no_node = SIZE_MAX;

class ElementwiseFusion {
 public:
  ElementwiseFusion(const Graph& graph, Program& program, KernelDevice& device)
      : graph_(graph),
        program_(program),
        device_(device),
        producer_(graph.values().size(), no_node),
        readers_(graph.values().size()),
        producers_(nodes().size()) {
    for (const Output& output : graph.outputs()) outputs_.insert(output.value);
    for (size_t i = 0; i < nodes().size(); ++i) {
      for (const ValueId id : nodes()[i].outputs) producer_[index(id)] = i;
      for (const ValueId id : read_by(i)) {
        readers_[index(id)].push_back(i);
        if (producer_[index(id)] != no_node) producers_[i].push_back(producer_[index(id)]);
      }
      fits_.push_back(has_kernel(i));
    }
  }

  Fusion run() {
    const auto may_merge = [this](Nodes from, Nodes to, size_t producer, size_t node) {
      return fits_[producer] && fits_[node] &&
             nodes()[producer].output_dims == nodes()[node].output_dims && has_few_inputs(from, to);
    };
    replace(ordered(parts_of(
        group_nodes(producers_, {.may_merge = may_merge, .most_nodes = most_nodes_of_kernel}))));
    return std::move(fusion_);
  }

 private:
  using Nodes = std::span<const size_t>;

  struct Part {
    std::vector<size_t> nodes;
    std::shared_ptr<const FusedKernel> kernel = nullptr;  // null: one node, as it is
  };

  const std::vector<PlannedNode>& nodes() const { return program_.plan.nodes; }

  std::vector<ValueId> read_by(size_t node) const {
    std::vector<ValueId> values;
    for (const int32_t at : nodes()[node].tensors) {
      if (at >= 0) values.push_back(static_cast<ValueId>(at));
    }
    return values;
  }

  // Views and host ops are not fused. Neither are nodes with numbers that depend on sizes: these
  // numbers are part of the text, so each size would need another compilation.
  bool has_kernel(size_t node) const {
    const PlannedNode& planned = nodes()[node];
    const size_t one[] = {node};
    return !planned.op->keeps_elements && !program_.nodes[node].steps.empty() &&
           !depends_on_sizes(graph_.nodes()[node]) &&
           cuda_kernel(graph_, program_.plan, one, planned.outputs, kernel_name);
  }

  static bool depends_on_sizes(const Node& node) {
    return std::any_of(node.arguments.begin(), node.arguments.end(), [](const Argument& argument) {
      const Datum* number = std::get_if<Datum>(&argument);
      return number && is_symbolic(*number);
    });
  }

  bool has_few_inputs(Nodes from, Nodes to) const {
    std::unordered_set<ValueId> read;
    for (const Nodes part : {from, to}) {
      for (const size_t node : part) {
        for (const ValueId id : read_by(node)) {
          const size_t by = producer_[index(id)];
          if (!std::binary_search(from.begin(), from.end(), by) &&
              !std::binary_search(to.begin(), to.end(), by))
            read.insert(id);
        }
      }
    }
    return read.size() <= static_cast<size_t>(CudaLayout::most_inputs);
  }

  // Values of the group that something else reads.
  std::vector<ValueId> kept(Nodes group) const {
    std::vector<ValueId> values;
    for (const size_t node : group) {
      const ValueId id = nodes()[node].outputs.front();
      const std::vector<size_t>& readers = readers_[index(id)];
      const bool is_read = std::any_of(readers.begin(), readers.end(), [&](size_t reader) {
        return !std::binary_search(group.begin(), group.end(), reader);
      });
      if (is_read || outputs_.contains(id)) values.push_back(id);
    }
    return values;
  }

  bool pays_off(Nodes group) const {
    return fits_[group.front()] &&
           (group.size() > 1 || program_.nodes[group.front()].steps.size() > 1);
  }

  std::vector<Part> parts_of(NodeGroups groups) {
    std::vector<Part> parts;
    for (std::vector<size_t>& group : groups) {
      if (group.empty()) continue;
      auto kernel = pays_off(group) ? kernel_of(group) : nullptr;
      if (kernel) {
        fusion_.nodes += group.size();
        ++fusion_.kernels;
        parts.push_back({std::move(group), std::move(kernel)});
        continue;
      }
      for (const size_t node : group) parts.push_back({{node}});
    }
    return parts;
  }

  std::shared_ptr<const FusedKernel> kernel_of(Nodes group) {
    const std::vector<ValueId> values = kept(group);
    if (values.empty()) return nullptr;
    const auto text = cuda_kernel(graph_, program_.plan, group, values, kernel_name);
    const LoadedKernel* kernel = text ? device_.find(text->text, fusion_.why) : nullptr;
    if (!kernel) return nullptr;
    FusedKernel made{.kernel = kernel,
                     .multiprocessors = device_.multiprocessors(),
                     .device = program_.target.device,
                     .dims = nodes()[group.back()].output_dims.front()};
    const auto port = [&](ValueId id) {
      return FusedKernel::Port{id, scalar_type(graph_.value(id).dtype)};
    };
    for (const ValueId id : text->inputs) made.inputs.push_back(port(id));
    for (const ValueId id : text->outputs) made.outputs.push_back(port(id));
    return std::make_shared<const FusedKernel>(std::move(made));
  }

  // The parts in topological order. The last node of a part breaks ties.
  std::vector<Part> ordered(std::vector<Part> parts) const {
    std::vector<size_t> part_of(nodes().size());
    for (size_t i = 0; i < parts.size(); ++i) {
      for (const size_t node : parts[i].nodes) part_of[node] = i;
    }
    std::vector<std::unordered_set<size_t>> before(parts.size()), after(parts.size());
    for (size_t node = 0; node < nodes().size(); ++node) {
      for (const size_t producer : producers_[node]) {
        const size_t from = part_of[producer], to = part_of[node];
        if (from == to) continue;
        before[to].insert(from);
        after[from].insert(to);
      }
    }
    using Entry = std::pair<size_t, size_t>;  // the last node, and the part
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (before[i].empty()) ready.emplace(parts[i].nodes.back(), i);
    }
    std::vector<Part> sorted;
    while (!ready.empty()) {
      const size_t at = ready.top().second;
      ready.pop();
      for (const size_t next : after[at]) {
        before[next].erase(at);
        if (before[next].empty()) ready.emplace(parts[next].nodes.back(), next);
      }
      sorted.push_back(std::move(parts[at]));
    }
    MITHRIL_CHECK(sorted.size() == parts.size(),
                  "groups of elementwise nodes depend on each other");
    return sorted;
  }

  void replace(std::vector<Part> parts) {
    std::unordered_set<ValueId> released;
    for (PlannedNode& node : program_.plan.nodes) {
      for (const ValueId id : std::exchange(node.released, {})) released.insert(id);
    }
    std::vector<PlannedNode> planned;
    std::vector<LoweredNode> lowered;
    for (Part& part : parts) {
      if (part.kernel) {
        planned.push_back(planned_kernel(part));
        lowered.push_back(lowered_kernel(std::move(part)));
      } else {
        planned.push_back(nodes()[part.nodes.front()]);
        lowered.push_back(std::move(program_.nodes[part.nodes.front()]));
      }
    }
    program_.plan.nodes = std::move(planned);
    program_.nodes = std::move(lowered);
    release(released);
  }

  PlannedNode planned_kernel(const Part& part) const {
    const ValueId first = part.kernel->outputs.front().value;
    PlannedNode made{.op = nodes()[producer_[index(first)]].op};
    for (const FusedKernel::Port& input : part.kernel->inputs)
      made.tensors.push_back(static_cast<int32_t>(index(input.value)));
    for (const FusedKernel::Port& output : part.kernel->outputs) {
      made.outputs.push_back(output.value);
      made.output_dims.push_back(part.kernel->dims);
    }
    return made;
  }

  LoweredNode lowered_kernel(Part part) const {
    LoweredNode made;
    for (const size_t node : part.nodes) {
      made.spelling += made.spelling.empty() ? "mithril::elementwise(" : ", ";
      made.spelling += nodes()[node].op->name;
    }
    made.spelling += ")";
    made.fused = std::move(part.kernel);
    return made;
  }

  // Releases each value after its last reader, or after its producer if nothing reads it.
  void release(const std::unordered_set<ValueId>& values) {
    std::unordered_set<ValueId> waiting = values;
    for (size_t i = nodes().size(); i-- > 0;) {
      PlannedNode& node = program_.plan.nodes[i];
      const auto release_here = [&](ValueId id) {
        if (waiting.erase(id) > 0) node.released.push_back(id);
      };
      for (const ValueId id : read_by(i)) release_here(id);
      for (const ValueId id : node.outputs) release_here(id);
    }
  }

  const Graph& graph_;
  Program& program_;
  KernelDevice& device_;
  std::unordered_set<ValueId> outputs_;
  std::vector<size_t> producer_;                // per value; no_node: an input or a constant
  std::vector<std::vector<size_t>> readers_;    // per value: nodes
  std::vector<std::vector<size_t>> producers_;  // per node
  std::vector<bool> fits_;                      // per node: whether it has a kernel
  Fusion fusion_;
};

}  // namespace

Fusion fuse_elementwise(const Graph& graph, Program& program, KernelDevice& device) {
  return ElementwiseFusion(graph, program, device).run();
}

}  // namespace mithril::torch_backend
