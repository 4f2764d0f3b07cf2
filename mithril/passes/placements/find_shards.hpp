// Finds which values of a graph the processes of a group hold as blocks.
#pragma once
#include <vector>

#include "mithril/passes/placements/shard_options.hpp"
#include "mithril/passes/placements/shard_rules.hpp"

namespace mithril {

struct FoundShards {
  std::vector<Placement> of = {};  // per value, as its maker leaves it
  // Per value: partial, and its readers need it as a whole; a block that its readers read whole.
  std::vector<bool> reduced = {}, gathered = {};
  std::vector<std::vector<ArgumentForm>> arguments = {};  // per node
  std::vector<bool> reshapes = {};                        // per node (ShardedNode::reshapes)
  std::vector<std::vector<size_t>> masked = {};  // per node: arguments that the first process adds

  // As readers see it.
  Placement read(ValueId id) const {
    const Placement& made = of[index(id)];
    const bool whole = made.is_partial() ? reduced[index(id)] : gathered[index(id)];
    return whole ? Placement{} : made;
  }
};

FoundShards find_shards(const Graph& graph, const ShardRules& rules, const ShardOptions& options);

}  // namespace mithril
