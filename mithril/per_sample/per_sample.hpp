// Exact gradients of the single samples of a batch, their norms, products and projections, without
// one evaluation for each sample (docs/per-sample.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mithril/per_sample/per_sample_types.hpp"

namespace mithril {

// Per-sample gradients of a compiled model. g_i is the gradient of the loss of sample i in all
// parameters. Sizes may change from call to call: the strategies are chosen for the sizes, and the
// programs for the last 64 combinations are cached. Threads may share a PerSample. Example:
//   ml::PerSample samples(compiled, {.losses = "losses"});
//   ml::SampleNorms norms = samples.norms(params, data);
//
// `state` as in CompiledModel::evaluate. Errors of all calls, besides those of evaluate:
// GradientError E0511 for a model that mixes the samples, naming the node.
class PerSample {
 public:
  // InputError E0807 for an unknown output; GradientError E0505 for a model that was compiled for
  // inference, E0510 for losses that are not [B, ...]; InputError E0802 for an unknown key in
  // options.shared. The hooks of the model are not called.
  PerSample(const CompiledModel& model, PerSampleOptions options);

  // Every g_i: {key: [B, *shape of the parameter]}. Its memory is that of B copies of the
  // parameters.
  TensorMap gradients(const TensorMap& params, const TensorMap& data,
                      const State& state = {}) const;
  // |g_i| = sqrt(<g_i, g_i>).
  SampleNorms norms(const TensorMap& params, const TensorMap& data, const State& state = {}) const;
  // <g_i, sum over j of h_j>, where h_j is the gradient of validation sample j, or <g_i, h_j>.
  // Other inputs than the batch may have other sizes in `validation`. InputError E0801, E0802 for
  // other keys in `validation`.
  SampleDots dots(const TensorMap& params, const TensorMap& data, const TensorMap& validation,
                  const DotsOptions& options = {}, const State& state = {}) const;
  // The sum over i of weights[i] * g_i, in one backward pass; weights [B]. InputError E0815 for
  // another number of weights.
  TensorMap weighted_gradients(const TensorMap& params, const TensorMap& data,
                               const Tensor& weights, const State& state = {}) const;
  // The sum of g_i * min(1, max_norm / |g_i|) in one backward pass (Abadi et al.,
  // https://arxiv.org/abs/1607.00133). ValueError E0402 for max_norm below 0.
  ClippedGradients clipped_gradients(const TensorMap& params, const TensorMap& data,
                                     double max_norm, const State& state = {}) const;
  // left g_i right^T for the gradient of each parameter as a matrix [rows, columns]: its first dim,
  // and the product of the others; a vector is one row. left [r, rows] and right [s, columns] are
  // random, and scaled so that the projection keeps squared norms on average. r and s are as large
  // as r * s <= rank, r <= rows and s <= columns allow, and as equal as possible. A rank above the
  // number of elements gives the elements themselves. ValueError E0418 for a rank below 1, or if
  // the options leave out all parameters. NameError E0623 for a pattern that matches none.
  Projections projections(const TensorMap& params, const TensorMap& data,
                          const ProjectionOptions& options = {}, const State& state = {}) const;

  // How the last call computed each parameter, and the cost of each possible strategy.
  std::string explain() const;
  // Compares the gradients of each sample with those of an evaluation of the sample by itself.
  // GradientError E0512 names the parameter with the largest difference, relative to the norm of
  // the sample's gradient, if the difference is above `tolerance`. The default is 1e-9 for float64,
  // 1e-4 for float32, 4e-3 for float16 and 3e-2 for bfloat16. The least precise floats of the graph
  // decide; mixed precision adds such floats.
  void verify(const TensorMap& params, const TensorMap& data, const State& state = {},
              std::optional<double> tolerance = {}) const;

  // The graph that computes norms (or dots, if there is validation data) for these sizes, for
  // write_cpp and other generators.
  ExportedModel exported_norms(const TensorMap& data) const;
  ExportedModel exported_dots(const TensorMap& data, const TensorMap& validation,
                              const DotsOptions& options = {}) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared: immutable but for its cache
};

}  // namespace mithril
