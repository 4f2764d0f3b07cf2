// Small models of one input.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

// input * sigmoid(input) (Elfwing et al. 2018). Ports: input, output.
Model SiLU();
// input * weight + bias, broadcast. Ports: input, weight, bias, output.
Model ElementWiseAffine();

struct SplitOptions {
  int64_t split_size = 2;  // how many parts; it divides the axis
  int64_t axis = 0;
};
// Splits the input into equal parts along the axis. Ports: input, output_0, output_1, ...
Model Split(const SplitOptions& options);

}  // namespace mithril
