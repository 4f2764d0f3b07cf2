// Half precision inside of ops: gradients and expansions of several ops compute in float32.
#pragma once
#include <optional>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

bool has_half_precision(const Value& value);  // float16 or bfloat16

// Whether the op may round. Ops that give bools for bools move or choose elements.
bool computes_elements(const OpDef& op);

// Whether nodes from `first` on read results of each other that are rounded to half precision.
bool rounds_between(const Graph& graph, size_t first);

// Widens the arguments of one node to float32, and narrows what is computed from them.
class WideArithmetic {
 public:
  // The scope outlives it.
  WideArithmetic(Graph& graph, const std::string& scope) : graph_(graph), scope_(scope) {}

  // The value; in float32 if it has half precision.
  ValueId widened(ValueId id);
  // The node with widened arguments.
  Node widened(Node node);
  ValueId narrowed(ValueId id, DType to);

 private:
  ValueId cast(ValueId id, DType to);
  Graph& graph_;
  const std::string& scope_;
};

}  // namespace mithril
