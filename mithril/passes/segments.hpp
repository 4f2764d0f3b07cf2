// Chooses the cuts of the forward part of a graph such that few bytes cross them.
#pragma once
#include <cstddef>
#include <vector>

namespace mithril {

// A value made on the way forwards, in steps: nodes of the forward part, numbered in their order.
struct Lifetime {
  size_t made = 0, last_read = 0;  // steps; last_read == made where no step reads it
  double bytes = 0;
  bool saved = false;   // whether the gradient reads it
  bool output = false;  // kept whatever the cuts
};

// The steps that begin a segment, the first one apart, in order; none where keeping everything
// costs no more. Chosen for the least sum of what is kept and the most that one segment saves.
std::vector<size_t> choose_cuts(const std::vector<Lifetime>& values, size_t steps);

}  // namespace mithril
