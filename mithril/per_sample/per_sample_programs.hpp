// The programs of PerSample: gradient graphs that are rewritten for a query and sizes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/compile/compiled_state.hpp"
#include "mithril/eval/size_cache.hpp"
#include "mithril/passes/per_sample/rewrite.hpp"
#include "mithril/per_sample/per_sample_types.hpp"

namespace mithril {

// The inputs of one batch, checked.
struct SampleBatch {
  std::vector<Tensor> inputs;  // in the order of the compiled inputs
  std::vector<bool> batched;   // per input: its first axis holds the samples
  int64_t samples = 0;
  bool has_elements = true;  // false: the inputs are placeholders
};

struct PerSampleProgram {
  PerSampleQuery query;
  std::vector<Dims> sizes;  // of all inputs of both batches
  std::vector<std::pair<int64_t, int64_t>> ranks = {};
  Graph graph = {};
  std::unique_ptr<Executable> executable = nullptr;  // null: samples run one by one
  std::vector<PerSampleChoice> choices = {};
  std::string single_samples = {};  // why samples run one by one
};

class PerSamplePrograms {
 public:
  PerSamplePrograms(std::shared_ptr<CompiledModel::Impl> compiled, const PerSampleOptions& options);

  const CompiledModel::Impl& compiled() const { return *compiled_; }
  size_t output() const { return output_; }  // of the losses, in compiled().outputs
  // The parameters whose gradients are computed: those that are not frozen.
  const std::vector<NamedIndex>& parameters() const { return parameters_; }

  // `name`: of the data in messages.
  SampleBatch take(const TensorMap& params, const TensorMap& data, const State& state,
                   const char* name) const;
  // A batch of tensors without elements, for dims alone.
  SampleBatch placeholders(const TensorMap& data) const;
  // One batch of both if they differ in nothing but the samples.
  static bool can_join(const SampleBatch& training, const SampleBatch& validation,
                       const std::vector<NamedIndex>& data);

  // GradientError E0511.
  std::shared_ptr<const PerSampleProgram> find(
      PerSampleQuery query, const SampleBatch& training, const SampleBatch* validation,
      const std::vector<std::pair<int64_t, int64_t>>& ranks = {}) const;
  std::vector<Tensor> run(const PerSampleProgram& program, const SampleBatch& training,
                          const SampleBatch* validation,
                          const std::vector<Tensor>& more = {}) const;

 private:
  // Whether the first axis of a data input is the batch, as far as its symbols say.
  enum class Batch : uint8_t { yes, no, unknown };
  struct Analysis {
    Plan plan;
    SampleAxes axes;
  };

  void classify(const std::vector<std::string>& shared);
  Batch batch_of(const Value& value, const std::vector<size_t>& data) const;
  std::vector<bool> batched_inputs(const std::vector<Tensor>& inputs, int64_t& samples) const;
  Dims losses_dims(const std::vector<Tensor>& inputs) const;
  // For these dims of the inputs, of which the batched ones have `samples` samples.
  Analysis analyse(const SampleBatch& batch, int64_t samples) const;
  Plan plan_for(const SampleBatch& batch, int64_t samples) const;
  // Whether the model was compiled for one number of samples.
  bool has_fixed_size(const SampleBatch& batch) const;
  struct Probe {
    Plan plan;
    int64_t samples = 0;
  };
  std::optional<Probe> probe_plan(const SampleBatch& batch) const;
  std::optional<Coupling> coupling_of(const SampleAxes& axes) const;
  // GradientError E0510 if no data has the samples as its rows.
  void check_rows(const SampleBatch& batch) const;
  PerSampleProgram make(PerSampleProgram program, const SampleBatch& training,
                        const SampleBatch* validation) const;

  const std::shared_ptr<CompiledModel::Impl> compiled_;
  size_t output_ = 0;
  const LossReduction reduction_;
  const std::optional<Strategy> strategy_;
  const std::vector<NamedIndex> parameters_;
  Graph gradient_;
  std::optional<SizeSources> sizes_, forward_sizes_;
  std::vector<Batch> batch_;             // per input
  std::vector<bool> has_fixed_samples_;  // per input: its first dim is a number
  PerSampleModel model_;                 // its inputs are not `batched` yet
  SizeCache<PerSampleProgram> programs_;
};

}  // namespace mithril
