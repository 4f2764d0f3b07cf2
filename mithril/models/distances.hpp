// Distances between rows, and losses of embeddings that preserve them.
#pragma once
#include <cstdint>
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

// 5 - |(input - 1) mod 8 - 4|, a triangle wave between 1 and 5. From 1 to 5 it is the input itself.
// Its slope at the peaks is 0. Ports: input, output.
Model NormModifier();

// left[i] - right[j] for all pairs of rows. Ports: left [N, D], right [M, D], output [N, M, D].
Model CartesianDifference();

// The diagonal of a square matrix as a column. Ports: input [N, N], output [N, 1].
Model TransposedDiagonal();

struct EncoderDistanceMatrixOptions {
  bool get_final_distance = true;  // take the root of the sum of powers
  bool robust = true;              // the root is a robust power
};
// The distances between all pairs of rows. NormModifier keeps their norm, which may be trained,
// between 1 and 5. Ports: input1 [N, D], input2 [M, D], norm, output [N, M].
Model EncoderDistanceMatrix(const EncoderDistanceMatrixOptions& options = {});

struct MDSCoreOptions {
  bool exact_distances = true;  // distances are given, not their powers
  bool robust = true;           // powers are robust ones
};
// The stress of multidimensional scaling: (sum(|d - p| ** norm) / sum(d ** norm)) ** (1 / norm) for
// distances d and predicted distances p. `pred_distances` are p ** norm. Ports: distances [N, N],
// pred_distances [N, N], norm, output.
Model MDSCore(const MDSCoreOptions& options = {});

struct TSNECoreOptions {
  bool exact_distances = true;     // distances are given, not their squares
  bool calculate_p_joint = false;  // computes p_joint from the distances; false: a port takes it
  double perplexity = 20;          // how many neighbours a point has, for calculate_p_joint
};
// The loss of t-SNE, the Kullback-Leibler divergence sum(p * log(p / q)) of the joint probabilities
// p of `distances` and q of `pred_distances`, which are squared distances. Ports: distances [N, N],
// pred_distances [N, N], p_joint [N, N], output.
Model TSNECore(const TSNECoreOptions& options = {});

enum class DistanceModel { MDSCore, TSNECore };
enum class DistanceInput { distances, powered_distances, points };
std::string_view name(DistanceModel model);
std::string_view name(DistanceInput input);

struct DistanceEncoderOptions {
  DistanceModel base_model = DistanceModel::MDSCore;
  DistanceInput input_type = DistanceInput::distances;
};
// Fits points `coords` to the distances in the input. `output` is the loss. Ports: input [N, N], or
// [N, D] for points, coords [N, d], norm, output, predicted_coords.
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
