#include "backends/torch/kernels/fuse_nodes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "backends/torch/device/dtypes.hpp"
#include "backends/torch/kernels/fused_kernel.hpp"
#include "backends/torch/kernels/kernel_rules.hpp"
#include "codegen/cuda/kernel.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/node_groups.hpp"

namespace mithril::torch_backend {
namespace {

constexpr size_t most_nodes_of_kernel = 32;

class NodeFusion {
 public:
  NodeFusion(const Graph& graph, TorchProgram& program, KernelDevice& device)
      : graph_(graph),
        program_(program),
        device_(device),
        rules_(graph, program),
        readers_(graph.values().size()),
        producers_(nodes().size()) {
    for (const Output& output : graph.outputs()) outputs_.insert(output.value);
    size_t collective = no_node;  // the last one: all processes have the same order of them
    for (size_t i = 0; i < nodes().size(); ++i) {
      for (const ValueId id : values_read_by(nodes()[i])) {
        readers_[index(id)].push_back(i);
        if (rules_.producer(id) != no_node) producers_[i].push_back(rules_.producer(id));
      }
      if (!nodes()[i].op->collective) continue;
      if (collective != no_node) producers_[i].push_back(collective);
      collective = i;
    }
  }

  Fusion run() {
    const auto may_merge = [this](Nodes from, Nodes to, size_t producer, size_t node) {
      return rules_.has_kernel(producer) && rules_.has_kernel(node) && rules_.may_share(from, to);
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

  // Values of the group that something else reads.
  std::vector<ValueId> kept(Nodes group) const {
    std::vector<ValueId> values;
    for (const size_t node : group) {
      for (const ValueId id : nodes()[node].outputs) {
        const std::vector<size_t>& readers = readers_[index(id)];
        const bool is_read = std::any_of(readers.begin(), readers.end(), [&](size_t reader) {
          return !std::binary_search(group.begin(), group.end(), reader);
        });
        if (is_read || outputs_.contains(id)) values.push_back(id);
      }
    }
    return values;
  }

  bool pays_off(Nodes group) const {
    return rules_.has_kernel(group.front()) &&
           (group.size() > 1 || program_.nodes[group.front()].calls.size() > 1);
  }

  // A group of nodes and the kernel that could compute them.
  struct Candidate {
    std::vector<size_t> nodes;
    std::vector<ValueId> kept;
    CudaKernel kernel;
  };

  std::optional<Candidate> candidate_of(const std::vector<size_t>& group) const {
    if (!pays_off(group)) return std::nullopt;
    std::vector<ValueId> values = kept(group);
    if (values.empty()) return std::nullopt;
    auto kernel = cuda_kernel(graph_, program_.plan, group, values, kernel_name);
    if (!kernel) return std::nullopt;
    return Candidate{group, std::move(values), *std::move(kernel)};
  }

  std::vector<Part> parts_of(const NodeGroups& groups) {
    std::vector<Part> parts;
    std::map<std::string, std::vector<Candidate>> batches;  // what one launch can compute
    for (const std::vector<size_t>& group : groups) {
      if (group.empty()) continue;
      auto candidate = candidate_of(group);
      if (!candidate) {
        add_nodes(group, parts);
      } else if (const auto key = batch_key(*candidate)) {
        batches[*key].push_back(*std::move(candidate));
      } else {
        add_part({*std::move(candidate)}, parts);
      }
    }
    for (const auto& [key, candidates] : batches) add_part(candidates, parts);
    return parts;
  }

  static void add_nodes(Nodes nodes, std::vector<Part>& parts) {
    for (const size_t node : nodes) parts.push_back({{node}});
  }

  // Candidates whose results no node reads depend on nothing of each other: steps of an optimizer,
  // for example. Those with equal keys can be one batch. None: for no batch.
  std::optional<std::string> batch_key(const Candidate& candidate) const {
    if (candidate.kernel.reduces_rows) return std::nullopt;
    for (const ValueId id : candidate.kept) {
      for (const size_t reader : readers_[index(id)]) {
        if (!std::binary_search(candidate.nodes.begin(), candidate.nodes.end(), reader))
          return std::nullopt;
      }
    }
    std::string key = candidate.kernel.text;
    for (const ValueId id : candidate.kernel.inputs) {
      const auto step = batch_step(candidate.kernel, id);
      if (!step) return std::nullopt;
      key += std::to_string(*step);
    }
    return key;
  }

  // 1 for an input with an element for each result, 0 for a number. None: another broadcast.
  std::optional<std::int64_t> batch_step(const CudaKernel& kernel, ValueId input) const {
    const Dims& dims = rules_.dims_of(input);
    if (dims == kernel.dims) return 1;
    return element_count(dims) == 1 ? std::optional<std::int64_t>(0) : std::nullopt;
  }

  // As one kernel, or else one for each candidate, or else the nodes as they are.
  void add_part(const std::vector<Candidate>& candidates, std::vector<Part>& parts) {
    if (auto kernel = kernel_of(candidates)) {
      Part part{.kernel = std::move(kernel)};
      for (const Candidate& each : candidates)
        part.nodes.insert(part.nodes.end(), each.nodes.begin(), each.nodes.end());
      std::sort(part.nodes.begin(), part.nodes.end());
      fusion_.nodes += part.nodes.size();
      ++fusion_.kernels;
      parts.push_back(std::move(part));
    } else if (candidates.size() > 1) {
      for (const Candidate& each : candidates) add_part({each}, parts);
    } else {
      add_nodes(candidates.front().nodes, parts);
    }
  }

  std::shared_ptr<const FusedKernel> kernel_of(const std::vector<Candidate>& candidates) {
    const Candidate& first = candidates.front();
    std::string text = first.kernel.text;
    if (candidates.size() > 1) {
      const auto batched =
          cuda_batch_kernel(graph_, program_.plan, first.nodes, first.kept, kernel_name);
      if (!batched) return nullptr;
      text = batched->text;
    }
    const LoadedKernel* kernel = device_.find(text, fusion_.why);
    if (!kernel) return nullptr;
    FusedKernel made{.kernel = kernel,
                     .multiprocessors = device_.multiprocessors(),
                     .device = program_.target.device,
                     .dims = first.kernel.dims,
                     .reduces_rows = first.kernel.reduces_rows,
                     .groups = candidates.size()};
    for (const ValueId id : first.kernel.inputs) {
      if (candidates.size() > 1) made.steps.push_back(*batch_step(first.kernel, id));
    }
    const auto port = [&](ValueId id) {
      return FusedKernel::Port{id, scalar_type(graph_.value(id).dtype)};
    };
    for (const Candidate& each : candidates) {
      for (const ValueId id : each.kernel.inputs) made.inputs.push_back(port(id));
      for (const ValueId id : each.kernel.outputs) {
        made.outputs.push_back(port(id));
        made.output_dims.push_back(rules_.dims_of(id));
      }
    }
    return std::make_shared<const FusedKernel>(std::move(made));
  }

  // The parts in topological order. The last node of a part breaks ties. Batches come last: they
  // may overwrite parameters, and then no other node fails after them.
  std::vector<Part> ordered(std::vector<Part> parts) const {
    NodeGroups groups;
    std::vector<size_t> keys;
    for (const Part& part : parts) {
      groups.push_back(part.nodes);
      const bool is_batch = part.kernel && part.kernel->groups > 1;
      keys.push_back(part.nodes.back() + (is_batch ? nodes().size() : 0));
    }
    std::vector<Part> sorted;
    for (const size_t i : GroupDependencies(groups, producers_).order(keys)) {
      sorted.push_back(std::move(parts[i]));
    }
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
    PlannedNode made{.op = nodes()[rules_.producer(first)].op,
                     .output_dims = part.kernel->output_dims};
    for (const FusedKernel::Port& input : part.kernel->inputs)
      made.tensors.push_back(static_cast<int32_t>(index(input.value)));
    for (const FusedKernel::Port& output : part.kernel->outputs)
      made.outputs.push_back(output.value);
    return made;
  }

  LoweredNode lowered_kernel(Part part) const {
    LoweredNode made;
    for (const size_t node : part.nodes) {
      made.spelling += made.spelling.empty() ? name_of(*part.kernel) + std::string("(") : ", ";
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
      for (const ValueId id : values_read_by(node)) release_here(id);
      for (const ValueId id : node.outputs) release_here(id);
    }
  }

  const Graph& graph_;
  TorchProgram& program_;
  KernelDevice& device_;
  const KernelRules rules_;
  std::unordered_set<ValueId> outputs_;
  std::vector<std::vector<size_t>> readers_;    // per value: nodes
  std::vector<std::vector<size_t>> producers_;  // per node
  Fusion fusion_;
};

}  // namespace

Fusion fuse_nodes(const Graph& graph, TorchProgram& program, KernelDevice& device) {
  return NodeFusion(graph, program, device).run();
}

}  // namespace mithril::torch_backend
