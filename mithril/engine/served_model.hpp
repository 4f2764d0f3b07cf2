// A loaded model: the checks of requests, and the evaluation of one request or of a batch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mithril/compile/inference_program.hpp"
#include "mithril/engine/serving_options.hpp"

namespace mithril {

// The checked inputs of one request.
struct ServedInputs {
  std::vector<Tensor> tensors;  // in the order of the graph
  std::int64_t rows = 1;        // along the batch axis
  Dims lengths = {};            // sizes of the padded symbols
};

// Immutable: many threads may use it.
class ServedModel {
 public:
  // Fixes the parameters and the state that inference does not change. Errors as bind;
  // ValueError E1220 for a model that cannot be batched, E1221 for one that cannot be padded.
  ServedModel(ServableModel model, ServingOptions options);
  ~ServedModel();
  ServedModel(const ServedModel&) = delete;
  ServedModel& operator=(const ServedModel&) = delete;

  const ServingOptions& options() const { return options_; }
  bool batches() const { return options_.max_batch_size > 1; }
  bool has_state() const { return !program_.states().empty(); }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t state_bytes() const { return program_.state_bytes(); }  // of one session
  // Everything that the model itself knows.
  ServedModelInfo info() const;

  // InputError E0801 to E0805 for inputs that do not fit.
  ServedInputs check(const TensorMap& request) const;
  // Whether both may be rows of one batch.
  bool fit_together(const ServedInputs& a, const ServedInputs& b) const;

  // The outputs for the initial state.
  TensorMap run(const ServedInputs& inputs) const { return program_.run(inputs.tensors); }
  // One evaluation for requests that fit together: the outputs of each.
  std::vector<TensorMap> run_batch(std::span<const ServedInputs* const> requests) const;

  State initial_state() const { return program_.initial_state(); }  // with elements of its own
  // As InferenceProgram::run with a state.
  TensorMap run(const ServedInputs& inputs, State& state) const {
    return program_.run(inputs.tensors, state);
  }

 private:
  struct Axes;
  struct Batching;
  void find_batching();

  ServingOptions options_;
  CompiledModel compiled_;
  InferenceProgram program_;
  std::unique_ptr<const Batching> batching_;  // null without batches
  std::int64_t bytes_ = 0;
};

}  // namespace mithril
