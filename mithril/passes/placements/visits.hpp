// What the search for placements reads of a node, and what it finds for equal nodes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/found_placements.hpp"
#include "mithril/passes/placements/node_numbers.hpp"

namespace mithril {

// The arguments of a node, as a visit reads them.
struct VisitedArguments {
  VisitedArguments(const Node& node, const NodeNumbers& numbers_of, const BatchRows& rows,
                   std::span<Placement> room)
      : numbers(numbers_of), placements(room), alike(!numbers_of.nested) {
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const Datum* datum = std::get_if<Datum>(&node.arguments[i]);
      if (!datum || !is_symbolic(*datum)) continue;
      alike = false;
      if (rows.has(*datum)) with_rows.push_back(i);
    }
  }

  bool has(Placement::Kind kind) const {
    return std::any_of(placements.begin(), placements.end(),
                       [&](const Placement& placement) { return placement.kind == kind; });
  }

  const NodeNumbers& numbers;
  std::span<Placement> placements;     // at the last visit; replicated where dims are read
  std::vector<size_t> with_rows = {};  // arguments that are or hold numbers of rows
  bool alike;  // nodes of this kind differ in the placements of their arguments alone
  bool visited = false;
};

// What a visit found. It holds for all nodes of the kind whose arguments are placed alike.
struct Visit {
  std::vector<Placement> arguments;
  bool wanted;  // whether the node reads and makes terms of sums
  std::vector<Placement> outputs;
  NodeChange change;
};

class Visits {
 public:
  explicit Visits(size_t kinds) : of_kinds_(kinds) {}

  // Null: there was none.
  const Visit* find(const VisitedArguments& arguments, bool wanted) const {
    const std::vector<Visit>& visits = of_kinds_[arguments.numbers.kind];
    const auto at = std::find_if(visits.begin(), visits.end(), [&](const Visit& visit) {
      return visit.wanted == wanted &&
             std::equal(visit.arguments.begin(), visit.arguments.end(),
                        arguments.placements.begin(), arguments.placements.end());
    });
    return at == visits.end() ? nullptr : &*at;
  }

  void add(const VisitedArguments& arguments, bool wanted, std::vector<Placement> outputs,
           const NodeChange& change) {
    of_kinds_[arguments.numbers.kind].push_back(
        {{arguments.placements.begin(), arguments.placements.end()},
         wanted,
         std::move(outputs),
         change});
  }

 private:
  std::vector<std::vector<Visit>> of_kinds_;
};

}  // namespace mithril
