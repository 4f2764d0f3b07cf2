// Evaluating a model, its gradients and the step of an optimizer as one graph.
#pragma once

#include <cstdint>
#include <memory>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/optim/optimizer.hpp"
#include "mithril/optim/training_options.hpp"
#include "mithril/training/exported_step.hpp"

namespace mithril {

struct CheckpointParts;  // checkpoint.hpp

// Updates parameters like `evaluate` with gradients followed by `Optimizer::step`, but faster: the
// update is compiled with the gradients, so backends fuse both and write parameters in place.
// Example:
//   ml::Adam optimizer({.lr = 1e-3});
//   ml::TrainingStep step(compiled, optimizer);
//   for (...) outputs = step(params, data);
class TrainingStep {
 public:
  // The optimizer outlives the step and keeps its state, sums of gradients and averages included:
  // set_lr, state_dict, load_state_dict and, unless it keeps sums or averages, its own `step` may
  // be called in between. `gradients` are the gradients of outputs in each step. The current hooks
  // of the model are called. InputError E0807 for a gradient of an unknown output, E0808 without a
  // cost; GradientError E0505 if the model was compiled for inference; TypeError E0382 for a
  // parameter that is not floating-point; ValueError E0406 for an option out of range; NameError
  // E0623 for a group of the optimizer that matches no parameter.
  TrainingStep(const CompiledModel& model, Optimizer& optimizer,
               const OutputGradients& gradients = of_cost, const TrainingOptions& options = {});
  // A step that minimises the cost: ml::TrainingStep step(compiled, optimizer, {.max_norm = 1.0});
  TrainingStep(const CompiledModel& model, Optimizer& optimizer, const TrainingOptions& options);
  ~TrainingStep();
  TrainingStep(TrainingStep&&) noexcept;

  // Updates the parameters (after each options.accumulate-th call) and the state, and returns the
  // outputs from before the update. Errors as
  // of evaluate and Optimizer::step, but with sums of gradients StateError E0915 if they are those
  // of another step, and with averages E0927 without options.average; InputError E0812 if two
  // parameters share elements, E0813 for a read-only parameter or a tensor of torch, unless the
  // model runs on a TorchBackend of its device. The state of the optimizer is then there, too.
  // After an error parameters and state are unchanged, unless the error says that inputs have been
  // written to. No other thread may use the parameters during the call.
  TensorMap operator()(TensorMap& params, const TensorMap& data);

  // The averages of parameters that options.average requests, in the dtypes of the parameters.
  // Frozen parameters, and all parameters before the first average, are copies of the given ones.
  // The average of a sharded parameter is the block of the process.
  // For `infer` and `bind`, with state(); running statistics are not averaged. With
  // optimizer_state = sharded all processes call it. StateError E0911 without options.average.
  TensorMap averages(const TensorMap& params) const;

  // With optimizer_state = sharded, and of sharded parameters, each process holds blocks of the
  // memory of the optimizer. Makes it whole on this process, for Optimizer::state_dict. All
  // processes call it. The next call of the step cuts it again. Otherwise it does nothing.
  void gather_optimizer();
  // Restores a whole state as Optimizer::load_state_dict does. This process keeps only the blocks
  // that it holds.
  void load_optimizer(const TensorMap& state);
  // Writes the checkpoint that `save` writes of whole tensors. All processes of the group call it.
  // Each process writes the blocks that it holds, so none needs memory for whole tensors. The first
  // one also writes the other tensors and the metadata. The new file replaces the old one when all
  // processes have written. If one of them fails, the old file stays, and all processes raise
  // InputError E0831, which names the process. StateError E0925 for whole parameters of which this
  // process holds blocks. Example:
  //   step.save_together("last.safetensors", params, {.optimizer = &optimizer, .step = &step});
  void save_together(const std::string& path, const TensorMap& params,
                     const CheckpointParts& parts) const;

  // The step as one graph, with the values that its inputs have now, for write_onnx. Hooks are left
  // out, and sizes that compiling left open stay open. StateError E0901 for other parameters, E0904
  // for a state of the optimizer that does not fit them, E0927 for averages that the step would
  // leave out; ValueError E1370 with all that no file can
  // say: `accumulate` above 1, parameters that have moved different numbers of times, an optimizer
  // whose numbers no graph computes, and equal names.
  ExportedStep exported(const TensorMap& params) const;

  // The model and the optimizer of the step. The model shares everything with the one passed to the
  // constructor.
  CompiledModel compiled() const;
  CompiledModel model() const { return compiled(); }  // the old name, until 0.2
  Optimizer& optimizer() const;

  // The running statistics and random keys, at first initial_state_dict(). Save them with the
  // parameters and the optimizer's state_dict(), and pass them to infer and bind. A copy:
  // only calls and set_state change the state.
  State state() const;
  // Copies the state. StateError E0902 for other keys, E0923 for other dims or kinds.
  void set_state(const State& state);

  // The position at which `fit` ended and its next call continues.
  struct Fitted {
    TensorMap params = {};  // empty before the first call
    std::int64_t epochs = 0;
  };
  Fitted fitted() const;  // with the same elements
  void set_fitted(const Fitted& fitted);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mithril
