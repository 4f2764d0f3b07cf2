// How a node computes on blocks of its arguments, by the rule of its op for samples.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "mithril/eval/node_sizes.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/op/sample_context.hpp"
#include "mithril/passes/placements/node_numbers.hpp"
#include "mithril/passes/placements/placement.hpp"
#include "mithril/passes/placements/shard_sizes.hpp"

namespace mithril {

// How a node of the local graph reads an argument.
enum class FormKind : uint8_t {
  made,   // as its maker leaves it
  whole,  // gathered
  block,  // the block of this process of the whole value
  dims,   // a tensor with the dims of the whole value, whose elements are not read
};

struct ArgumentForm {
  FormKind kind = FormKind::made;
  Placement block = {};
  bool operator==(const ArgumentForm&) const = default;
};

struct ShardedNode {
  std::vector<ArgumentForm> arguments = {};
  std::vector<Placement> results = {};
  bool reshapes = false;  // its value at the port `shape` is replaced by the local dims
};

class ShardRules {
 public:
  // `numbers`: an example of sizes. Both outlive it.
  ShardRules(const Graph& graph, const GraphNumbers& numbers, int64_t processes);

  const Dims& dims(ValueId id) const { return numbers_.dims(id); }
  // None if the value has no such blocks.
  std::optional<BlockSizes> sizes(ValueId id, const Placement& sharded) const;
  // How the node computes on blocks. `placements`: of its arguments, sharded or replicated.
  // `wanted`: the placement that its only output must have. None if there is no way. Results are
  // kept, because a search asks again.
  std::optional<ShardedNode> find(NodeId id, const std::vector<Placement>& placements,
                                  const std::optional<Placement>& wanted = {}) const;

 private:
  struct Argument {
    const ValueId* id;                // null: a value
    bool reads;                       // its elements, and not its dims alone
    std::vector<ArgumentForm> forms;  // to try
  };
  struct Trial;
  struct Known {
    std::vector<Placement> placements;
    std::optional<Placement> wanted;
    std::optional<ShardedNode> found;
  };

  std::optional<ShardedNode> try_all_forms(NodeId id, const std::vector<Placement>& placements,
                                           const std::optional<Placement>& wanted) const;
  std::vector<Argument> arguments_of(const Node& node, const std::vector<Placement>& placements,
                                     const std::optional<Placement>& wanted) const;
  bool may_broadcast(ValueId id) const;
  bool are_consistent(const std::vector<Argument>& arguments,
                      const std::vector<ArgumentForm>& forms) const;
  std::optional<ShardedNode> try_forms(NodeId id, const std::vector<Argument>& arguments,
                                       const std::vector<ArgumentForm>& forms,
                                       const std::vector<Placement>& placements,
                                       const std::optional<Placement>& wanted) const;
  std::vector<SampleAxis> results_of(const Trial& trial) const;
  bool holds_locally(const Trial& trial, const std::vector<SampleAxis>& results) const;
  bool infers(const Trial& trial, ShardedNode& found) const;

  const Graph& graph_;
  const GraphNumbers& numbers_;
  const int64_t processes_;
  const OpDef& expand_reduced_;
  mutable NodeSizes local_;  // dims of the arguments of the node that is tried
  mutable std::vector<std::vector<Known>> known_;  // per node
};

}  // namespace mithril
