// The compiled state of a model.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/compile/compiled_model.hpp"
#include "mithril/compile/graph_cache.hpp"
#include "mithril/compile/key_classes.hpp"
#include "mithril/compile/observers.hpp"
#include "mithril/compile/signature.hpp"
#include "mithril/distributed/mesh.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/passes/pipeline.hpp"

namespace mithril {

class Optimizer;
enum class StepPart;
enum class StepScalars;
class Communicator;
struct TrainedParameter;
struct TrainingGraph;
struct TrainingOptions;

// A graph that is ready to run.
struct Program {
  Signature signature;
  std::unique_ptr<Executable> executable;
};

// A program that includes the step of an optimizer.
struct TrainingProgram : Program {
  std::vector<Donation> donations;  // updated parameters and their inputs
};

struct NamedIndex {
  std::string name;
  size_t index;
};

std::vector<std::string> names_of(const std::vector<NamedIndex>& keys);
bool contains(const std::vector<NamedIndex>& keys, std::string_view name);

enum class Mode { training, inference };

// A model before a mode is chosen.
struct FlatComposition {
  Graph graph;
  std::vector<InputKey> inputs;      // in the order of graph.inputs()
  std::vector<InputKey> spare = {};  // of the model, not needed by these outputs
  std::vector<std::string> outputs;  // that the user sees
  std::vector<FlatState> states;
  std::vector<std::string> objectives = {};  // of the outputs; left out in inference mode
  std::vector<std::string> warnings = {};
};

// The settings that both modes of a compiled model share.
struct CompileSettings {
  std::shared_ptr<Backend> backend;  // shared: users compile many models for one
  LoadOptions load_options;
  PipelineOptions passes;
  std::shared_ptr<const GraphCache> cache;  // null: graphs are made each time
  Mode mode = Mode::training;
  bool inference = false;  // without gradients
  bool use_checkpointing = false;
  bool safe_shapes = true;
  bool debug = false;         // whether evaluations print every value
  bool quiet = false;         // whether debug prints only the first value with NaN or infinity
  bool shard_memory = false;  // of optimizers, over the group

  std::shared_ptr<Communicator> group;  // null: this process alone
  Mesh mesh;
  std::shared_ptr<Communicator> data_group;         // that shares the rows of a batch; null: alone
  std::shared_ptr<Communicator> model_group;        // that shares parameters; null: alone
  std::map<std::string, std::size_t> sharded_axes;  // of parameters that the model_group shares
  std::vector<std::string> replicated_keys;
  std::int64_t bucket_bytes = 0;

  // The size of the native code of a package that runs in place of the graph, which then has no
  // nodes: TorchScript, or a generated library.
  std::optional<std::int64_t> native_code_bytes;

  std::shared_ptr<Composite> model;  // to look up the paths of hooks
  // null: no other form can be made: the mode is fixed or changes nothing, and no output is a loss
  // or a metric
  std::shared_ptr<const FlatComposition> composed;
  std::vector<std::string> state_keys;  // of both modes
  // Guards the facts of the graphs, which both modes share.
  std::shared_ptr<std::mutex> facts_mutex = std::make_shared<std::mutex>();
};

// Everything that compiling produces except the programs.
struct CompiledState : CompileSettings {
  Graph source;                                      // without gradients, before hooks and passes
  Graph graph;                                       // after them
  std::vector<InputKey> inputs;                      // in the order of graph.inputs()
  std::vector<NamedIndex> parameters, data, states;  // of inputs
  std::vector<NamedIndex> outputs, next_states;      // of graph.outputs(); states that change
  std::vector<std::string> required_states;          // that training changes
  // Keys of the whole model that these outputs do not need: callers may give them, too.
  std::vector<std::string> spare_parameters, spare_data;
  std::vector<Hook> hooks;
  std::shared_ptr<CompiledModel::Impl> without_hooks;      // as compiled; null: these are
  State initial;                                           // in the order of states
  std::vector<std::pair<std::string, KnownShape>> shapes;  // of inputs and outputs
  std::vector<std::string> output_texts;                   // shapes of outputs as text
  std::vector<std::string> warnings;

  std::vector<std::string> input_labels() const;  // for messages
  std::string size_advice() const;  // that of the model, or of the first model in it that has one
  std::vector<bool> differentiable_outputs() const;  // per output of the graph
  // The dims in the example `data`, or known since compiling; InputError E0811 if neither has them.
  Dims dims_of_input(const NamedIndex& key, const TensorMap& data) const;
  Graph passed(const Graph& graph) const;                           // through the passes
  Graph differentiated(const DifferentiateOptions& options) const;  // after the passes
  void require_gradients() const;  // GradientError E0505 if it was compiled for inference
  void require_graph(const char* call) const;  // BackendError E1048 if it is native code
  // The gradients of these inputs, for incoming gradients of these outputs (indices in `outputs`).
  Graph gradient_graph(const std::vector<size_t>& requested_outputs,
                       const std::vector<size_t>& inputs) const;
  bool is_frozen(const NamedIndex& key) const { return inputs[key.index].frozen; }
  std::vector<NamedIndex> trained_parameters() const;  // those that are not frozen, in order
  std::vector<size_t> trained_inputs() const;          // their indices
  // For each trained parameter, whether an incoming gradient of these outputs flows to it.
  std::vector<bool> parameters_reached(const std::vector<size_t>& requested_outputs) const;
  State copy_of(const State& state) const;  // tensors of the backend with elements of their own
};

// The outputs (indices in `outputs`) that are differentiated unless the caller names others: the
// cost, or every floating-point output if there is no cost.
std::vector<size_t> differentiated_outputs(const CompiledState& compiled);
std::optional<ValueId> find_value_named(const Graph& graph, const std::string& name);
// Runs the passes on the graph with the hooks, and makes an observer that calls them.
void apply_hooks(CompiledState& compiled);

// After compiling, dims with symbols are read under facts_mutex, to make programs: their facts
// serve one thread.
struct CompiledModel::Impl : CompiledState {
  Impl() = default;
  explicit Impl(CompiledState compiled) : CompiledState(std::move(compiled)) {}

  void load();  // makes `forward`; checks a distributed model
  void take_forward(Program program);
  // The program without gradients. Of a distributed model it is made on first use, because training
  // does not need it. Runs no collective.
  const Program& forward() const;
  // The inputs of the model with whole parameters.
  const Signature& whole_signature() const { return whole_ ? *whole_ : forward_->signature; }
  // The program `forward`, but the next state is written over the state if the backend can do so.
  const Program& in_place();
  // The program with incoming gradients of these outputs (indices in `outputs`), in this order, and
  // the gradients of these inputs. Compiled on first use.
  const Program& with_gradients(const std::vector<size_t>& requested_outputs,
                                const std::vector<size_t>& inputs);
  std::shared_ptr<Impl> inference_form;                                  // null until first used
  std::map<std::vector<std::string>, std::shared_ptr<Impl>> selections;  // by their outputs
  Graph gradients(
      const std::vector<size_t>& requested_outputs);  // of trained parameters: the graph that runs
  // The program of a training step: gradients of these outputs, and the update of these parameters.
  // Made each time.
  TrainingProgram training(const std::vector<size_t>& requested_outputs,
                           const std::vector<TrainedParameter>& trained, const Optimizer& optimizer,
                           const TrainingOptions& options, StepPart part);
  // Its graph, with whole parameters.
  TrainingGraph step_graph(const std::vector<size_t>& requested_outputs,
                           const std::vector<TrainedParameter>& trained, const Optimizer& optimizer,
                           const TrainingOptions& options, StepPart part,
                           StepScalars scalars) const;

 private:
  Program load_forward() const;

  LoadOptions forward_options_;
  mutable std::unique_ptr<const Program> forward_;  // guarded by facts_mutex if it is distributed
  // Guarded by facts_mutex, as inference_form and selections are.
  std::map<std::pair<std::vector<size_t>, std::vector<size_t>>, std::unique_ptr<const Program>>
      backward_;
  std::unique_ptr<const Program> in_place_;
  std::optional<Signature> whole_;  // of a distributed model; none: that of `forward`
};

}  // namespace mithril
