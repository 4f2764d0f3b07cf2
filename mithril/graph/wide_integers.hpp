// Integers of 8 and 16 bits and unsigned ones: ops compute them as int32 or int64.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// The graph in which such integers are only inputs, constants, outputs, and operands and results of
// `cast`: each op computes in widened(dtype), and its result is cast back, which wraps. Backends
// need no other rule for these dtypes. Ops beside a number that int32 does not hold compute int32
// in int64, too. Values keep their names and dtypes. Flattened and expanded graphs are such graphs.
//
// TypeError E1361: an op has no rule for uint64, which int64 does not hold (OpDef::integers).
Graph with_wide_integers(const Graph& graph);

}  // namespace mithril
