// Evaluating a model, its gradients and the step of an optimizer as one graph.
#pragma once

#include <memory>

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
  // TypeError E0382 for a parameter that is not of floats.
  TrainingStep(const CompiledModel& model, Optimizer& optimizer,
               const OutputGradients& gradients = of_cost);
  ~TrainingStep();
  TrainingStep(TrainingStep&&) noexcept;

  // The model's outputs, before the step; the state moves on. Errors as of evaluate and
  // Optimizer::step; InputError E0812 where two parameters share elements, E0813 for one that may
  // not be written to or is a tensor of torch. After an error no parameter has moved, unless it
  // says that inputs have been written to; the state moves with them. No other thread may use the
  // parameters meanwhile.
  TensorMap operator()(TensorMap& params, const TensorMap& data);

  // Running statistics and random keys, which begin as initial_state_dict(): save them with the
  // parameters and the optimizer's state_dict(), and give them to infer and for_inference.
  const State& state() const;
  // A copy of it. StateError E0902 for other keys, E0923 for other dims or kinds.
  void set_state(const State& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mithril
