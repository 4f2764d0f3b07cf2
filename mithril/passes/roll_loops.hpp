// Makes nodes with graphs of the ops that loops and branches are composed of.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// Replaces scan_steps, scan_carry, scan_item, scan_last, scan_stack and the nodes between them by
// one node of op `scan` for each loop, or of op `while_loop` if a condition ends it; and
// branch_condition, branch_input, branch_result by one of op `cond`. Nodes that depend on no step
// and on no branch stay outside. ConnectionError E0130 for a value of one step that is read outside
// of its loop, E0139 for one of a branch, E0102 for a loop or a branch that reads its own result,
// E0131 for an op that cannot be in it; TypeError E0301 for a carry whose dtype changes, and for
// branches of different dtypes.
Graph roll_loops(const Graph& graph);

// Of loops over the same arguments whose bodies have the same nodes, keeps the first, with the
// outputs of all: such as a loop and the one that stacks what its gradient reads.
Graph merge_loops(const Graph& graph);

// Per value of a graph before roll_loops: whether a step of a loop or a branch makes it.
std::vector<bool> values_of_nested(const Graph& graph);

// The steps of roll_loops.

// Whether the op marks a place in a loop or in a branch.
bool is_nesting_op(const Node& node);

// The value itself or, if a hook's node makes it, the value that the hook observes. `makers`: per
// value, the node that makes it.
ValueId behind_hooks(const Graph& graph, const std::vector<std::optional<size_t>>& makers,
                     ValueId id);

// The values from outside that a node transforms: by which a derivative differentiates, or from
// whose indices a vmap computes. `inside`: per value, whether the loop or the branch makes it.
std::vector<ValueId> transformed_outside(const Node& node, const std::vector<bool>& inside);

// A derivative in a body or a branch counts only the paths inside. If it is by a value from
// outside, all nodes of the part that read the value have to be inside, also those that depend on
// no step. So they read a copy of it, which pulled_in_nodes then finds. None: there is no such
// derivative. `token`: as below.
std::optional<Graph> with_own_input(const Graph& graph, const std::vector<bool>& inside,
                                    ValueId token);

// The nodes that belong to a loop or a branch only because the transform at this index does. They
// make an index of a parameter, or an input of a model that the body differentiates. `makers`: per
// value, the node that makes it. `token`: the start of the loop, or the condition of the branches.
// Both count only in the part of `token`: those of a part around it, such as a vmap of the loop,
// stay outside.
std::vector<size_t> pulled_in_nodes(const Graph& graph, size_t transform,
                                    const std::vector<bool>& inside,
                                    const std::vector<std::optional<size_t>>& makers,
                                    ValueId token);

struct LoopCarries {
  struct Carry {
    ValueId carry, next;
  };
  std::vector<Carry> carries;
  std::optional<ValueId> goes_on;  // none: the number of steps ends the loop

  // The index of the carry that an exit of op scan_last returns.
  size_t index_of(ValueId carry) const;
};

// Reads them from the exits of the loop that begins with `token`: each exit states all of them.
// `makers`: per value, the node that makes it. ConnectionError E0130 if an exit states another
// value, such as a part that an edit put in the place of a carry: it would be left out of the loop.
// TypeError E0301 for a step that changes the dtype of a carry.
LoopCarries carries_of_loop(const Graph& graph, const std::vector<const Node*>& exits,
                            const std::vector<std::optional<size_t>>& makers, ValueId token);

// Replaces the ops of one loop, whose begin is the node at this index, by a node. None: ops of
// another loop or branch are inside, which have to be replaced first.
std::optional<Graph> roll_loop(const Graph& graph, size_t begin);
// The same for the branches whose op branch_condition is the node at this index.
std::optional<Graph> roll_branches(const Graph& graph, size_t condition);
// ConnectionError E0130 for a value of a loop or a branch that is read by an op of another one,
// neither of which is inside of the other.
[[noreturn]] void refuse_mixed_loop(const Graph& graph, size_t begin);
[[noreturn]] void refuse_mixed_branches(const Graph& graph, size_t condition);

}  // namespace mithril
