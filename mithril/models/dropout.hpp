// Dropout.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct DropoutOptions {
  double p = 0.5;    // probability of an element to become zero; the others are divided by 1 - p
  int64_t seed = 0;  // of the masks
  std::optional<bool> inference = {};  // true: pass everything; empty: as compiled
};
// Ports: input, output, and the state key [] (int64), which starts as a RandomKey and counts up:
// one mask for each evaluation that is given the state of the one before (Srivastava et al. 2014).
// Parts with the same seed have different masks, because their paths differ.
Model Dropout(const DropoutOptions& options = {});

}  // namespace mithril
