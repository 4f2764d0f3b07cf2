// Sizes of a graph in which no other size is a multiple of the batch.
#pragma once
#include <cstdint>
#include <vector>

#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/node_numbers.hpp"

namespace mithril {

struct Probe {
  int64_t batch;  // no other size is a multiple of it
  GraphNumbers numbers;
};

// StateError E0952 if the graph has no sizes that fit.
Probe probe(const Graph& graph, const BatchRows& rows);

// Returns the symbols whose sizes may depend on the rows of the batch: all symbols that the probe
// does not show to be other sizes. A graph may have sizes such as 4*N or N + 1, and no size N.
std::vector<Symbol*> symbols_of_rows(const Graph& graph, const Probe& probe);

}  // namespace mithril
