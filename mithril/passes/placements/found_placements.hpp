// The placement of each value of a graph, and which values are reduced over the processes.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

// Random numbers that a node draws for the rows of the process.
struct RowDraw {
  size_t axis = 0;   // of the rows
  size_t batch = 0;  // whose rows they are
  Dim of_row = 1;    // indices of the axis for each row of the batch
};

struct NestedChanges;

// How a node of the placed graph differs.
struct NodeChange {
  std::vector<size_t> masked = {};   // arguments that the first process alone adds
  std::vector<size_t> numbers = {};  // arguments that count rows of the whole batch
  bool counts = false;               // the node is a number of rows of the whole batch
  bool extremum = false;             // a process without rows has no element to choose
  std::optional<RowDraw> draw = {};
  std::shared_ptr<const NestedChanges> nested = {};  // null: its graphs stay as they are
  bool is_empty() const {
    return masked.empty() && numbers.empty() && !counts && !extremum && !draw && !nested;
  }
};
using NodeChanges = std::map<NodeId, NodeChange>;

// The changed nodes of the graphs that a node contains, by the port of each graph. A node is
// changed if it draws random numbers, or if it contains such a node.
struct NestedChanges {
  std::map<std::string, NodeChanges, std::less<>> of = {};
};

struct FoundPlacements {
  std::vector<Placement> of = {};  // per value, as its maker leaves it
  std::vector<bool> reduced = {};  // per value: a partial value that readers need as a whole
  NodeChanges changes = {};

  // As readers see it.
  const Placement& read(ValueId id) const {
    static const Placement whole;
    const Placement& made = of[index(id)];
    return reduced[index(id)] && made.is_partial() ? whole : made;
  }
};

}  // namespace mithril
