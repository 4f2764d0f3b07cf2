// Float32 arithmetic for gradients and expansions that would round to half precision between their
// ops.
#pragma once
#include <string>

#include "mithril/graph/graph.hpp"

namespace mithril {

bool has_half_precision(const Value& value);  // float16 or bfloat16

// Whether the op may round. Ops that give bools for bools move or choose elements.
bool computes_elements(const OpDef& op);

// Whether a node from `first` on computes with a half-precision result of another one of them.
bool rounds_between(const Graph& graph, size_t first);

// Widens the arguments of one node to float32, and narrows what is computed from them.
class WideArithmetic {
 public:
  // `scope` must outlive this object.
  WideArithmetic(Graph& graph, const std::string& scope) : graph_(graph), scope_(scope) {}

  // The value, or its cast to float32 if it has half precision.
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
