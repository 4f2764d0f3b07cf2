// Evaluating a model, its gradients and the step of an optimizer as one graph.
#pragma once

#include <memory>
#include <utility>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/optim/optimizer.hpp"

namespace mithril {

// Moves parameters as `evaluate` with gradients and then `Optimizer::step` do, and faster: the
// optimizer's arithmetic is part of what is compiled, where backends fuse it with what makes the
// gradients, and parameters are written where they stand. Example:
//   ml::Adam optimizer({.lr = 1e-3});
//   ml::TrainingStep step(compiled, optimizer);
//   for (...) outputs = step(params, data);
class TrainingStep {
 public:
  // The optimizer outlives it, and remembers as usual: set_lr, state_dict, load_state_dict and its
  // own `step` may be called in between. `gradients` come in at outputs in each step. Hooks that
  // the model has by now are called. InputError E0807 for a gradient of what is no output, E0808
  // where there is no cost; GradientError E0505 where the model was compiled for inference;
  // TypeError E0382 for a parameter that is neither float32 nor float64.
  TrainingStep(const CompiledModel& model, Optimizer& optimizer,
               const OutputGradients& gradients = of_cost);
  ~TrainingStep();
  TrainingStep(TrainingStep&&) noexcept;

  // The model's outputs, before the step. Errors as of evaluate and Optimizer::step; InputError
  // E0812 where two parameters share elements, E0813 for one that may not be written to or is a
  // tensor of torch. After an error no parameter has moved, unless it says that inputs have been
  // written to. No other thread may use the parameters meanwhile.
  TensorMap operator()(TensorMap& params, const TensorMap& data);
  // With the state to begin with, and the next one.
  std::pair<TensorMap, State> operator()(TensorMap& params, const TensorMap& data,
                                         const State& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mithril
