// Checkpointing of loops: their gradients keep the carries of some steps, and recompute the others.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Replaces each loop of a known number T of steps, 4 or more, by a loop over about sqrt(T) segments
// whose body is a loop over the steps of one segment; steps that fill no segment are a loop of
// their own. The gradient of such a loop stacks the carries before each segment, and recomputes
// what else it reads one segment after the other (Chen et al., "Training deep nets with sublinear
// memory cost", 2016). Outputs have the same bits. Gradients of values that every step reads are
// summed segment by segment. Loops in branches and in other loops are divided, too.
Graph divide_loops(const Graph& graph);

}  // namespace mithril
