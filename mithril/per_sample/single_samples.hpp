// The gradients of samples, each from an evaluation of its own: the reference of PerSample, and its
// method for models with ops that have no rule for samples.
#pragma once

#include <vector>

#include "mithril/per_sample/per_sample_programs.hpp"

namespace mithril {

class SingleSamples {
 public:
  // Evaluates all samples. If the batch draws random numbers for them, in an op that has no rule,
  // evaluates the whole batch for each. GradientError E0513 if a sample has another loss by itself
  // than in the batch for another reason, so that the batch mixes the samples.
  SingleSamples(const CompiledModel& model, const PerSamplePrograms& programs,
                const PerSampleOptions& options, const SampleBatch& batch, const State& state);

  // Each as the method of PerSample.
  TensorMap gradients() const { return gradients_.copy(); }
  SampleNorms norms() const;
  SampleDots dots(const SingleSamples& validation, const DotsOptions& options) const;
  TensorMap weighted(const Tensor& weights) const;
  ClippedGradients clipped(double max_norm) const;
  // `matrices`: left and right of each of the parameters.
  Tensor projected(const std::vector<ProjectedParameter>& parameters,
                   const std::vector<Tensor>& matrices) const;

 private:
  Tensor evaluate(const CompiledModel& model, const SampleBatch& batch, const State& state,
                  int64_t sample);
  bool is_same_loss(double alone, double among) const;
  TensorMap data_of(const SampleBatch& batch, int64_t sample) const;
  bool draws_for_samples(const CompiledModel& model, const TensorMap& data,
                         const SampleBatch& batch, const State& state) const;
  void evaluate_in_batch(const CompiledModel& model, const TensorMap& data, const State& state,
                         const Tensor& whole);

  const PerSamplePrograms& programs_;
  const PerSampleOptions& options_;
  const std::string losses_key_;
  int64_t samples_ = 0;
  TensorMap params_;
  TensorMap gradients_;  // [B, ...]
  Tensor losses_;        // [B]
  State state_;          // the next state, of the batch
};

// GradientError E0512 if a gradient of `made` differs from that of `expected` by more than the
// tolerance times the norm of the sample's gradient, naming the parameter.
void compare_samples(const TensorMap& made, const TensorMap& expected, double tolerance);

// The default tolerance of PerSample::verify: that of the least precise floats of the graph. Mixed
// precision adds such floats.
double tolerance_of_gradients(const Graph& graph);

}  // namespace mithril
