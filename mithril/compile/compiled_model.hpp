// Compiled models.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/compile/hook.hpp"
#include "mithril/graph/exported_model.hpp"
#include "mithril/infer/known_shape.hpp"
#include "mithril/model/binding.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

class Backend;
class Communicator;     // distributed/communicator.hpp
struct MemoryTimeline;  // backend/memory_timeline.hpp

// The state that a model keeps between evaluations: running statistics, random keys. Copies share
// their elements, because an evaluation returns a new state and writes to none.
struct State : TensorMap {
  State() = default;
  explicit State(TensorMap&& tensors) : TensorMap(std::move(tensors)) {}
  State(const State& other) : TensorMap(other.share()) {}
  State& operator=(const State& other) { return *this = State(other); }
  State(State&&) = default;
  State& operator=(State&&) = default;
};

struct OfCost {
  explicit OfCost() = default;
};
// Requests the gradients of the output final_cost, or of the only output if it is a scalar.
inline constexpr OfCost of_cost{};

// The gradients of outputs; zero for outputs that are left out.
class OutputGradients {
 public:
  OutputGradients(std::initializer_list<TensorMap::Item> gradients) : held_(TensorMap(gradients)) {}
  OutputGradients(const TensorMap& gradients) : held_(gradients.share()) {}
  OutputGradients(OfCost) {}

  const TensorMap* gradients() const { return std::get_if<TensorMap>(&held_); }  // null: of_cost

 private:
  std::variant<OfCost, TensorMap> held_;
};

// Which outputs to make: inputs that only others need may be left out. Empty: all, in inference
// mode without losses and metrics. InputError E0807 for an unknown output. Example:
//   compiled.evaluate(params, {{"image", x}}, {.outputs = {"logits"}})
struct OutputOptions {
  std::vector<std::string> outputs = {};
};

// Options of evaluate with gradients. Example: the gradient of the loss with respect to the image.
//   auto [outputs, gradients] = compiled.evaluate(params, {{"image", x}, {"label", y}},
//   ml::of_cost,
//                                                 {.gradient_keys = {"image"}});
struct GradientOptions {
  std::vector<std::string> outputs = {};  // as in OutputOptions
  // Parameters, frozen ones too, and data. Empty: all parameters that are not frozen.
  std::vector<std::string> gradient_keys = {};
};

struct TimelineOptions {
  bool gradients = false;  // of an evaluation with the gradients of the cost
};

// Immutable: many threads may evaluate it at the same time, with any sizes that satisfy its
// constraints.
class CompiledModel {
 public:
  // Running. `params` has the parameters, `data` the data inputs. Inputs that only outputs which
  // are not asked for need may be left out, and are ignored if given. Floats and integers are
  // converted to the width of the model. Gradients have the keys of the parameters that are not
  // frozen, or `gradient_keys`. Outputs may share elements with inputs. InputError: E0801 missing
  // keys, E0802 an unknown key, E0803 a wrong rank, E0804 a wrong dim, E0805 a wrong kind, E0806 a
  // key of the other map, E0807 a gradient of an unknown output, E0808 no cost, E0817 a gradient of
  // an unknown input. GradientError E0502 for the gradient of an input that is not floating-point,
  // E0505 if the model was compiled for inference. StateError E0920 if the model has a state that
  // training changes and none was passed, E0902 for other states.
  TensorMap evaluate(const TensorMap& params, const TensorMap& data,
                     const OutputOptions& options = {}) const;
  std::pair<TensorMap, TensorMap> evaluate(const TensorMap& params, const TensorMap& data,
                                           const OutputGradients& gradients,
                                           const GradientOptions& options = {}) const;
  // Takes the current state and returns the next state last. A model with batch norm or dropout
  // needs it: start with initial_state_dict(), and pass to each evaluation the state that the
  // previous one returned.
  std::pair<TensorMap, State> evaluate(const TensorMap& params, const TensorMap& data,
                                       const State& state, const OutputOptions& options = {}) const;
  std::tuple<TensorMap, TensorMap, State> evaluate(const TensorMap& params, const TensorMap& data,
                                                   const OutputGradients& gradients,
                                                   const State& state,
                                                   const GradientOptions& options = {}) const;

  // Inference: dropout passes everything, batch norm uses the running statistics, and the
  // state is read but does not change. A part that was made with inference=false behaves as in
  // training. Losses and metrics are not outputs unless they are asked for.
  // The outputs in inference mode, for instance to validate in a training loop. The first call
  // compiles the inference form; parameters are not copied. State keys that inference does not read
  // may be left out. StateError E0920 and E0902 as in evaluate; E0921 if the state changes in
  // inference, too.
  TensorMap infer(const TensorMap& params, const TensorMap& data, const State& state = {},
                  const OutputOptions& options = {}) const;
  // The compiled model in inference mode, which infer evaluates.
  CompiledModel in_inference(const OutputOptions& options = {}) const;
  // Binding: a separate model in inference mode that contains the parameters and the state. Values
  // that depend on them alone are computed once. It has no gradients and no hooks. Elements are
  // copied, unless `params` holds the only reference or they are in the file of a package. A state
  // that changes in inference, too, stays a state and starts as passed. StateError E0901 for other
  // parameters, E0920 and E0923 for another state. Example:
  //   const ml::CompiledModel deployed = compiled.bind(params, step.state());
  //   ml::TensorMap outputs = deployed.evaluate({}, {{"image", x}});
  CompiledModel bind(const TensorMap& params, const State& state,
                     const OutputOptions& options = {}) const {
    return bind(params.share(), state, options);
  }
  CompiledModel bind(TensorMap&& params, const State& state,
                     const OutputOptions& options = {}) const;
  // The same, but the state stays an argument of evaluate.
  CompiledModel bind(const TensorMap& params, const OutputOptions& options = {}) const {
    return bind(params.share(), options);
  }
  CompiledModel bind(TensorMap&& params, const OutputOptions& options = {}) const;
  // The old name, until 0.2.
  CompiledModel for_inference(const TensorMap& params, const State& state = {},
                              const OutputOptions& options = {}) const {
    return bind(params, state, options);
  }
  CompiledModel for_inference(TensorMap&& params, const State& state = {},
                              const OutputOptions& options = {}) const {
    return bind(std::move(params), state, options);
  }

  // Parameters. ShapeError E0209 if a size of a parameter is not known.
  // Initialised as each layer specifies, otherwise uniform in +-1/sqrt(fan in), the product
  // of the dims after the first. The same seed gives the same values on every platform. The
  // values of a parameter do not depend on the other parameters.
  TensorMap get_parameters(std::uint64_t seed = 0) const;
  // Standard normal; uniform if an interval was stated.
  TensorMap randomize_params(std::uint64_t seed = 0) const;
  // The parameters of `saved` in the model's order and width. StateError E0901 lists every missing,
  // unknown and mismatched key.
  TensorMap load_state_dict(const TensorMap& saved) const;
  // Raises the errors of load_state_dict, and copies nothing.
  void check_state_dict(const TensorMap& saved) const;
  // With CompileOptions::placements get_parameters, randomize_params and load_state_dict return the
  // blocks of this process, and load_state_dict takes whole parameters or such blocks. All values
  // are those of whole parameters.
  // Whole parameters. All processes of the group call it. Parameters that are not sharded are
  // shared. StateError E0925 if sharded ones are whole.
  TensorMap gather_parameters(const TensorMap& params) const;
  // The blocks of whole parameters, as load_state_dict.
  TensorMap shard_parameters(const TensorMap& params) const;
  State initial_state_dict() const;  // a copy: writes to it do not change the model
  // Whether `evaluate` returns another state than it takes.
  bool changes_state() const;

  // A file that torch.jit.load runs, in Python and in C++, without Mithril: its `forward` takes the
  // data in the order of data_keys() and returns a tensor, or a dictionary if there are several
  // outputs. The file contains `params` (dotted keys are modules). It has no state: StateError
  // E0922 if the model has one that training changes. It is for inputs of one size: if compiling
  // left a size open, `data` has an example. InputError E0811 without an example; StateError E0901
  // for other parameters; BackendError E1021 if the backend cannot write TorchScript, E1022 if the
  // file cannot be written, E1023 for an op that TorchScript lacks.
  void save_torchscript(const std::string& path, const TensorMap& params,
                        const TensorMap& data = {}) const;

  // The graphs for inputs of one size, for write_cpp and other generators. If compiling left a size
  // open, `data` has an example. Hooks are left out. InputError E0811 without an example, E0802 for
  // an unknown key.
  ExportedModel exported(const TensorMap& data = {}) const;
  // The graph of the outputs with the sizes that compiling left open, for write_jax. `dims` of the
  // inputs are empty.
  ExportedModel exported_with_open_sizes() const;
  // The same with the graph of gradients. GradientError E0505 if the model was compiled for
  // inference.
  ExportedModel exported_with_open_gradients() const;

  // Hooks.
  // Each evaluation through this object calls the function with the value at this path ("hidden",
  // "encoder.fc1.output"; any path of the model) as soon as it is made, in the thread that
  // evaluates. A returned tensor replaces the value for all later readers. A value of a loop's body
  // is made in each step, which loop_steps() returns in the hook; one of a branch, if the branch
  // runs. A gradient that computes a value again calls its hooks again. With `gradient` the
  // function gets the gradient of the value, in evaluations that have one. Gradients pass a
  // replaced value as if it had not been replaced. Hooks on one value run in the order of
  // registration. evaluate throws what a hook throws. The model is compiled again so that the
  // hooked value is kept. Earlier copies do not have the hook. No other thread may use this object
  // during the call. NameError E0613 with the nearest names; from evaluate InputError E0810 for a
  // returned tensor of other dims or another kind.
  HookHandle register_hook(const std::string& path, HookFunction function,
                           HookOptions options = {});

  // Queries.
  std::vector<std::string> input_keys() const;  // parameters and data
  std::vector<std::string> parameter_keys() const;
  // Parameters without gradients, which optimizers leave as they are (CompileOptions::frozen).
  std::vector<std::string> frozen_keys() const;
  // Parameters that no output depends on, for instance after expose_keys of an earlier value. Their
  // gradients are zeros, and a TrainingStep leaves them as they are.
  std::vector<std::string> unread_parameter_keys() const;
  // Parameters and states of the whole model that these outputs do not need. Callers may give them.
  std::vector<std::string> unneeded_keys() const;
  std::vector<std::string> data_keys() const;
  std::vector<std::string> output_keys() const;
  // The shapes of inputs and outputs, without keys whose rank is not known.
  std::vector<std::pair<std::string, KnownShape>> shapes() const;
  // The backend that it was compiled for.
  const std::shared_ptr<Backend>& backend() const;
  // The processes that it was compiled for; null without CompileOptions::group.
  const std::shared_ptr<Communicator>& group() const;
  // Parameters of which this process holds a block (CompileOptions::placements).
  std::vector<std::string> sharded_keys() const;
  // The processes of the group that share the rows of a batch, and hold the same blocks of
  // parameters (CompileOptions::mesh).
  const std::shared_ptr<Communicator>& data_group() const;
  // Data inputs that every process gets whole; the others hold rows of the batch.
  std::vector<std::string> replicated_keys() const;
  // The warnings of compiling, which the warning handler received, too (base/warning.hpp): inputs
  // whose names look misspelt.
  const std::vector<std::string>& warnings() const;
  // What is in memory at each step of an evaluation, what made it, and which values own the peak
  // (backend/memory_timeline.hpp). If compiling left a size open, `data` has an example.
  // InputError E0811 without an example, E0808 without a cost; GradientError E0505 if the model was
  // compiled for inference; BackendError E1056 if the backend does not plan memory: the CPU backend
  // does.
  MemoryTimeline memory_timeline(const TensorMap& data = {},
                                 const TimelineOptions& options = {}) const;
  // A table of the inputs and outputs, and the number and size of the parameters.
  std::string summary() const;

  struct Impl;
  explicit CompiledModel(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  friend class TrainingStep;
  friend class PerSample;
  friend class InferenceProgram;
  friend class ComparedModel;
  CompiledModel fixed(TensorMap params, const State* state, const OutputOptions& options) const;
  // Shared, because it is immutable.
  std::shared_ptr<Impl> impl_;
};

}  // namespace mithril
