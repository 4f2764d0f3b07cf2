// Dropout.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct DropoutOptions {
  double p = 0.5;    // probability of an element to become zero; the others are divided by 1 - p
  int64_t seed = 0;  // of the key that the masks come from
  bool inference = false;  // pass everything
};
// Ports: input, output, and the state key [] (int64), which counts up from the seed: one mask for
// each evaluation that is given the state of the one before (Srivastava et al. 2014).
Model Dropout(const DropoutOptions& options = {});

}  // namespace mithril
