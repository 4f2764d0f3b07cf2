// Mixed precision: most of the arithmetic in a lower precision, the rest in float32.
#pragma once
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

struct MixPrecisionOptions {
  DType lower = DType::bfloat16;
  std::vector<bool> parameters = {};  // for each input of the graph, whether it is one
};

// Casts the float inputs of each node by the policy in its op's record: `lower`, float32, or the
// widest of them. A value is cast once to each dtype. A value that depends on parameters alone (a
// bias) takes the width of the other inputs and widens nothing. Nodes that read float64 keep it.
// The inputs and outputs of the graph keep their dtypes, and gradients have the dtypes of their
// parameters. Runs on a graph without gradients. An op with `expand` is cast as a whole.
Graph mix_precision(const Graph& graph, const MixPrecisionOptions& options);

}  // namespace mithril
