// Distances between rows, and losses of embeddings that preserve them.
#pragma once
#include <cstdint>
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

// 5 - |(input - 1) mod 8 - 4|, a wave of straight lines between 1 and 5: the input itself between 1
// and 5. At its peaks its slope is 0. Ports: input, output.
Model NormModifier();

// left[i] - right[j] for all pairs of rows. Ports: left [N, D], right [M, D], output [N, M, D].
Model CartesianDifference();

// The diagonal of a square matrix as a column. Ports: input [N, N], output [N, 1].
Model TransposedDiagonal();

struct EncoderDistanceMatrixOptions {
  bool get_final_distance = true;  // take the root of the sum of powers
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
// the target distances. Ports: distances [N, N], pred_distances [N, N], norm, output.
Model MDSCore(const MDSCoreOptions& options = {});

struct TSNECoreOptions {
  bool exact_distances = true;     // distances are given, not their squares
  bool calculate_p_joint = false;  // computes p_joint from the distances; false: a port takes it
  double perplexity = 20;          // how many neighbours a point has, for calculate_p_joint
};
// The t-SNE loss between the neighbours of predicted points, given as squared distances, and the
// targets. Ports: distances [N, N], pred_distances [N, N], p_joint [N, N], output.
Model TSNECore(const TSNECoreOptions& options = {});

enum class DistanceModel { MDSCore, TSNECore };
enum class DistanceInput { distances, powered_distances, points };
std::string_view name(DistanceModel model);
std::string_view name(DistanceInput input);

struct DistanceEncoderOptions {
  DistanceModel base_model = DistanceModel::MDSCore;
  DistanceInput input_type = DistanceInput::distances;
};
// Points whose distances are like those of the input. Ports: input [N, N], or [N, D] for points,
// coords [N, d], norm, output, predicted_coords.
Model DistanceEncoder(const DistanceEncoderOptions& options = {});

struct MDSOptions {
  int64_t prediction_dim = 2;  // d
  DistanceInput input_type = DistanceInput::distances;
};
// Multidimensional scaling: a DistanceEncoder of MDSCore.
Model MDS(const MDSOptions& options = {});

struct TSNEOptions {
  int64_t prediction_dim = 2;  // d
  DistanceInput input_type = DistanceInput::distances;
  double preplexity = 20;  // the perplexity of TSNECore, so spelled
  bool calculate_p_joint = false;
};
// t-distributed stochastic neighbour embedding: a DistanceEncoder of TSNECore.
Model TSNE(const TSNEOptions& options = {});

}  // namespace mithril
