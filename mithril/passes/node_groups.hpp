// Groups of nodes that a backend runs as one step each.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace mithril {

// The nodes of each group, in the order of the graph.
using NodeGroups = std::vector<std::vector<std::size_t>>;

struct NodeGroupRules {
  // Whether the groups may merge. `node`, which is in `to`, reads a result of `producer`, which is
  // in `from`.
  std::function<bool(std::span<const std::size_t> from, std::span<const std::size_t> to,
                     std::size_t producer, std::size_t node)>
      may_merge;
  std::size_t most_nodes = 16;  // of a group
};

// Puts each node into one group; some groups are empty. `producers`: for each node, the ones before
// it that it reads from. A group merges only with groups that it reads from. No group depends
// on itself through another group.
NodeGroups group_nodes(std::span<const std::vector<std::size_t>> producers,
                       const NodeGroupRules& rules);

// Which groups read results of which others.
class GroupDependencies {
 public:
  GroupDependencies(const NodeGroups& groups, std::span<const std::vector<std::size_t>> producers);

  // Per group, each once: the groups that it reads from, and those that read from it.
  std::vector<std::vector<std::size_t>> before, after;

  // The groups in topological order. Of several groups that may be next, the one with the smallest
  // key is.
  std::vector<std::size_t> order(std::span<const std::size_t> keys) const;
};

}  // namespace mithril
