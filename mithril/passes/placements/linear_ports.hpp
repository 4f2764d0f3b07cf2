// Ops that make terms of a sum out of terms of sums.
#pragma once
#include <optional>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

// Whether the node is linear in its partial arguments together, while the others are replicated.
// Then the arguments without which it is not: replicated tensors in the same sum.
std::optional<std::vector<size_t>> linear_together(const Graph& graph, const Node& node,
                                                   const std::vector<bool>& partial);

// Values that serve as terms: they are added to partial values, or only serve partial outputs. A
// sum that makes such a value stays partial, so that one value is reduced and not several.
class PartialWanted {
 public:
  PartialWanted(const Graph& graph, const PlacementOptions& options);
  // Adds the values whose only reader adds them to a partial value.
  void add_sums(const Graph& graph, const std::vector<Placement>& placements);
  // Whether the node makes such values, or reads a partial input.
  bool of_node(const Node& node) const;

 private:
  std::vector<bool> wanted_, inputs_;  // per value
};

}  // namespace mithril
