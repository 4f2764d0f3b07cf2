// Which nodes of a program may share a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/torch/program/program.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::torch_backend {

inline constexpr std::size_t no_node = SIZE_MAX;

// The tensors that a node reads.
std::vector<ValueId> values_read_by(const PlannedNode& node);

// Elementwise nodes of equal output dims share a kernel. So do nodes that reduce rows of equal
// dims, elementwise nodes of these dims, and those that compute a number for each row.
class KernelRules {
 public:
  using Nodes = std::span<const std::size_t>;  // sorted

  KernelRules(const Graph& graph, const TorchProgram& program);

  bool has_kernel(std::size_t node) const { return has_kernel_[node]; }
  // The node that makes the value; no_node: it is an input or a constant.
  std::size_t producer(ValueId id) const { return producers_[index(id)]; }
  const Dims& dims_of(ValueId id) const { return *dims_[index(id)]; }
  // For two groups of nodes, each of which has a kernel.
  bool may_share(Nodes from, Nodes to) const;

 private:
  const std::vector<PlannedNode>& nodes() const { return program_.plan.nodes; }
  bool makes_kernel(std::size_t node) const;
  bool may_share_rows(Nodes from, Nodes to) const;
  bool has_few_inputs(Nodes from, Nodes to) const;

  const Graph& graph_;
  const TorchProgram& program_;
  std::vector<std::size_t> producers_;     // per value
  std::vector<const Dims*> dims_;          // per value
  std::vector<std::optional<Dims>> rows_;  // per node: the dims of the rows that it reduces
  std::vector<bool> has_kernel_;           // per node
};

}  // namespace mithril::torch_backend
