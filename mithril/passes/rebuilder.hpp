// Writes the new graph of a pass: maps ids, keeps inputs and outputs, removes unread nodes.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

constexpr ValueId nowhere{-1};  // the mapping of a value that is not written yet

// A pass walks the nodes once and says of each what becomes of it:
//   Rebuilder rebuilder(graph);
//   for (const Node& node : graph.nodes()) rebuilder.keep(node);
//   return rebuilder.finish();
class Rebuilder {
 public:
  explicit Rebuilder(const Graph& from);        // which outlives it
  Rebuilder(const Graph& from, size_t values);  // of a program with the first values alone

  // The graph under construction: nodes and constants may be added to it.
  Graph& graph() { return to_; }
  const Graph& graph() const { return to_; }
  // The value of the new graph for a value of the old graph.
  ValueId map(ValueId old) const;
  // The node with arguments of the new graph and without outputs.
  Node map_arguments(const Node& node) const;

  void keep(const Node& node) { add(map_arguments(node), node.outputs); }
  // Adds a node of the new graph that makes these values of the old one, under their names.
  void add(Node node, const std::vector<ValueId>& outputs);
  // Readers of the old value read `now`, a value of the new graph.
  void replace(ValueId old, ValueId now);
  // The same as replace, but a value that the pass has made takes over the name and dims of the old
  // one.
  void become(ValueId old, ValueId now);

  // The new graph, without unread nodes and constants. Call it last.
  Graph finish();
  Graph finish(const std::vector<Output>& outputs);  // in the place of those of the old graph
  Graph finish_whole();                              // with them

 private:
  void add_outputs(const std::vector<Output>& outputs);
  void state_equal(ValueId old, ValueId now);
  const Graph& from_;
  Graph to_;
  std::vector<ValueId> map_;          // of every old value; nowhere: not reached yet
  std::vector<bool> is_replacement_;  // per new value; false beyond its end
};

}  // namespace mithril
