// Checkpointing of loops: their gradients keep the carries of some steps, and recompute the others.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Replaces each loop of T steps by a loop over segments whose body is a loop over the steps of one
// segment; steps that fill no segment are a loop of their own. A known T of 4 or more makes about
// sqrt(T) segments. If T is unknown, a segment has 32 steps. The gradient of such a loop stacks the
// carries before each segment, and recomputes what else it reads one segment after the other (Chen
// et al., "Training deep nets with sublinear memory cost", 2016). Outputs have the same bits.
// Gradients of values that every step reads are summed segment by segment. Loops in branches and in
// other loops are divided, too.
Graph divide_loops(const Graph& graph);

}  // namespace mithril
