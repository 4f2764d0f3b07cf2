// Chooses cuts of the forward part of a graph that few bytes cross.
#pragma once
#include <cstddef>
#include <vector>

namespace mithril {

// A value made on the way forwards, in steps: nodes of the forward part, numbered in their order.
struct Lifetime {
  size_t made = 0, last_read = 0;  // steps; last_read == made if no step reads it
  double bytes = 0;
  bool saved = false;   // whether the gradient reads it
  bool output = false;  // kept for any cuts
};

// The steps that start a segment, except the first, in order; none if keeping everything costs no
// more. Minimises the kept bytes plus the most that one segment saves.
std::vector<size_t> choose_cuts(const std::vector<Lifetime>& values, size_t steps);

}  // namespace mithril
