// The placement of each value of a graph, and which values are reduced over the processes.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

// How a node of the placed graph differs.
struct NodeChange {
  std::vector<size_t> masked = {};   // arguments that the first process alone adds
  std::vector<size_t> numbers = {};  // arguments that count rows of the whole batch
  bool counts = false;               // the node is a number of rows of the whole batch
  bool extremum = false;             // a process without rows has no element to choose
  // The axis of the rows of the process for which it draws numbers.
  std::optional<size_t> draws_along = {};
  bool is_empty() const {
    return masked.empty() && numbers.empty() && !counts && !draws_along && !extremum;
  }
};

struct FoundPlacements {
  std::vector<Placement> of = {};  // per value, as its maker leaves it
  std::vector<bool> reduced = {};  // per value: a partial value that readers need as a whole
  std::map<NodeId, NodeChange> changes = {};

  // As readers see it.
  const Placement& read(ValueId id) const {
    static const Placement whole;
    const Placement& made = of[index(id)];
    return reduced[index(id)] && made.is_partial() ? whole : made;
  }
};

}  // namespace mithril
