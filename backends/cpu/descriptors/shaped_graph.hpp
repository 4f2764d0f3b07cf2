// A graph with the dims and the layout of each value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// The values [N, C, H, W] with the blocked layout: see layout/assign_layouts.hpp.
struct BlockedLayouts {
  std::vector<bool> blocked;  // per value; empty: none
  // Per value: a vector of channels that a blocked value is combined with, whose buffer ends at a
  // whole block, too.
  std::vector<bool> padded;
  int64_t channels = 1;  // of a block
};

// The graph with the sizes of one plan. Both must outlive this object.
class ShapedGraph {
 public:
  ShapedGraph(const Graph& graph, const Plan& plan);

  const Graph& graph() const { return graph_; }
  const Node& node(size_t i) const { return graph_.nodes()[i]; }
  const PlannedNode& planned(size_t i) const { return plan_.nodes[i]; }
  size_t node_count() const { return plan_.nodes.size(); }
  // The tensors that a node reads, without absent ones and numbers.
  const std::vector<ValueId>& tensors(size_t i) const { return tensors_[i]; }
  const Dims& dims(ValueId id) const { return *dims_[index(id)]; }
  DType dtype(ValueId id) const { return graph_.value(id).dtype; }
  int64_t count(ValueId id) const { return counts_[index(id)]; }  // elements
  bool is_output(ValueId id) const { return is_output_[index(id)]; }
  // The node that computes the value; no_node: an input or a constant.
  static constexpr size_t no_node = SIZE_MAX;
  size_t producer(ValueId id) const { return producer_[index(id)]; }
  // Per node: the nodes that compute the values that it reads. A collective also follows the one
  // of its op before it, because all processes start them in the same order.
  std::vector<std::vector<size_t>> producers() const;
  // Bytes of the value, with the channels that the blocked layout pads.
  int64_t bytes(ValueId id) const;
  // Bytes of its buffer, which may have to end at a whole block.
  int64_t buffer_bytes(ValueId id) const;
  bool is_in_blocks(ValueId id) const {
    return !layouts_.blocked.empty() && layouts_.blocked[index(id)];
  }
  int64_t channels_of_block() const { return layouts_.channels; }
  void set_layouts(BlockedLayouts layouts) { layouts_ = std::move(layouts); }

 private:
  const Graph& graph_;
  const Plan& plan_;
  std::vector<std::vector<ValueId>> tensors_;  // per node
  std::vector<const Dims*> dims_;
  std::vector<int64_t> counts_;
  std::vector<bool> is_output_;
  std::vector<size_t> producer_;
  BlockedLayouts layouts_;
};

// Per value: the number of node arguments and graph outputs that refer to it, plus 1 if the
// observer wants it. `observed`, per node: the observer wants its outputs; empty: none.
std::vector<int> count_uses(const ShapedGraph& shaped, const std::vector<bool>& observed);

// A line for each value that is in the blocked layout.
std::string to_string(const ShapedGraph& shaped);

// The dims [N, C / channels, H, W, channels] of a value that is broadcast to a blocked value; the
// quotient is rounded up. Missing leading axes become 1. If C is 1, the dims are [N, 1, H, W, 1].
Dims dims_in_blocks(const Dims& dims, int64_t channels);

}  // namespace mithril::cpu_backend
