// Which rows of all values the steps of a plan compute without the other rows.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/descriptors/lowered_graph.hpp"

namespace mithril::cpu_backend {

// The equal, consecutive parts into which all values can be cut, so that each part needs only the
// same parts of others; 1: none.
struct RowCuts {
  int64_t parts = 1;            // of all values that steps make
  std::vector<int64_t> inputs;  // per input of the graph; 0: any; 1: all parts need all of it
  int64_t tiles = std::numeric_limits<int64_t>::max();  // the fewest rows of tiles of a product
  double useful_threads = 0;                            // that pay off, in all steps
};

RowCuts find_row_cuts(const ShapedGraph& shaped, const LoweredGraph& lowered);

}  // namespace mithril::cpu_backend
