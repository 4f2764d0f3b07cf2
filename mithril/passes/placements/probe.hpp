// Sizes of a graph in which no other size is a multiple of the batch.
#pragma once
#include <cstdint>

#include "mithril/eval/plan.hpp"
#include "mithril/passes/placements/batch_rows.hpp"

namespace mithril {

struct Probe {
  int64_t batch = 0;  // no other size is a multiple of it
  Plan plan = {};
};

// StateError E0952 if the graph has no sizes that fit.
Probe probe(const Graph& graph, const BatchRows& rows);

}  // namespace mithril
