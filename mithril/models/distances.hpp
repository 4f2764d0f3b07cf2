// Distances between rows, and how well points in few dimensions keep them.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct EncoderDistanceMatrixOptions {
  bool get_final_distance = true;  // take the root; else the sum of powers
  bool robust = true;              // the root is a robust power
};
// Distances between all pairs of rows, in a norm that is kept between 1 and 5 and may be trained.
// Ports: input1 [N, D], input2 [M, D], norm, output [N, M].
Model EncoderDistanceMatrix(const EncoderDistanceMatrixOptions& options = {});

struct MDSCoreOptions {
  bool exact_distances = true;  // distances are given, not their powers
  bool robust = true;           // powers are robust ones
};
// The stress of multidimensional scaling: how far predicted distances, given as powers, are from
// those wanted. Ports: distances [N, N], pred_distances [N, N], norm, output.
Model MDSCore(const MDSCoreOptions& options = {});

}  // namespace mithril
