// Makes the programs of a compiled model: graphs, loaded by its backend.
#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/agreement.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/distribution.hpp"
#include "mithril/compile/local_program.hpp"
#include "mithril/compile/parameter_blocks.hpp"
#include "mithril/compile/training_graph.hpp"
#include "mithril/passes/split_gradient.hpp"

namespace mithril {

std::vector<std::string> CompiledState::input_labels() const {
  std::vector<std::string> labels;
  for (const InputKey& input : inputs) labels.push_back(in_quotes(input.key));
  return labels;
}

std::vector<bool> CompiledState::differentiable_outputs() const {
  const auto is_float = [&](size_t i) {
    return is_floating(graph.value(graph.outputs()[i].value).dtype);
  };
  std::vector<bool> flags;
  for (size_t i = 0; i < graph.outputs().size(); ++i) flags.push_back(is_float(i));
  for (const NamedIndex& state : next_states) flags[state.index] = false;
  for (const NamedIndex& output : outputs) flags[output.index] = is_float(output.index);
  return flags;
}

namespace {

DifferentiateOptions asked_of(const Graph& graph, const std::vector<bool>& differentiable,
                              const std::vector<bool>& wanted) {
  DifferentiateOptions asked;
  for (size_t i = 0; i < differentiable.size(); ++i) {
    if (differentiable[i]) asked.outputs.push_back(graph.outputs()[i].name);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) asked.wanted.push_back(graph.value(graph.inputs()[i]).name);
  }
  return asked;
}

// `whole`: the graph with its gradients. Second derivatives may be asked for when the compiled
// model is gone, so `split` owns all that it needs.
GradientGraphs halves_of(const Graph& whole, const Graph& graph, std::vector<bool> differentiable,
                         const PipelineOptions& passes, std::shared_ptr<std::mutex> mutex) {
  GradientGraphs halves = split_gradient(whole, graph.inputs().size(), graph.outputs().size());
  halves.differentiable = std::move(differentiable);
  halves.split = [gradients = gradients_alone(whole, graph.outputs().size()), passes,
                  mutex = std::move(mutex)](const std::vector<bool>& wanted) {
    const std::lock_guard lock(*mutex);
    std::vector<bool> all(gradients.outputs().size(), true);
    const Graph second =
        run_passes(differentiate(gradients, asked_of(gradients, all, wanted)), passes);
    return halves_of(second, gradients, std::move(all), passes, mutex);
  };
  return halves;
}

}  // namespace

// The executable belongs to this object, so its callbacks may refer to it.
void CompiledModel::Impl::load() {
  LoadOptions options = load_options;
  if (is_distributed(*this)) {
    options.split = [this](const std::vector<bool>&) {
      refuse_distributed(*this, "torch's autograd",
                         "train with ml.TrainingStep, or compile the model without a group");
      return GradientGraphs();
    };
  } else if (!inference) {
    options.split = [this](const std::vector<bool>& wanted) {
      const std::lock_guard lock(*facts_mutex);
      const std::vector<bool> differentiable = differentiable_outputs();
      const Graph whole = differentiated(asked_of(graph, differentiable, wanted));
      return halves_of(whole, graph, differentiable, passes, facts_mutex);
    };
  }
  forward_options_ = std::move(options);
  if (!is_distributed(*this)) return take_forward(load_forward());
  agree_on_program(*this, graph);
  check_gpus(*this);
  check_rows(*this);
  whole_.emplace(graph, input_labels(), size_advice());
}

void CompiledModel::Impl::take_forward(Program program) {
  forward_ = std::make_unique<const Program>(std::move(program));
}

Program CompiledModel::Impl::load_forward() const {
  const Graph own = local_program(*this, graph);
  return {Signature(own, input_labels(), size_advice()), backend->load(own, forward_options_)};
}

const Program& CompiledModel::Impl::forward() const {
  if (!is_distributed(*this)) return *forward_;
  const std::lock_guard lock(*facts_mutex);
  if (!forward_) forward_ = std::make_unique<const Program>(load_forward());
  return *forward_;
}

const Program& CompiledModel::Impl::in_place() {
  if (next_states.empty()) return forward();
  const std::lock_guard lock(*facts_mutex);
  if (in_place_) return *in_place_;
  LoadOptions loading = load_options;
  for (const NamedIndex& next : next_states) {
    const auto is_same = [&](const NamedIndex& state) { return state.name == next.name; };
    const auto state = std::find_if(states.begin(), states.end(), is_same);
    loading.donations.push_back({next.index, state->index});
  }
  agree_on_graph(*this, graph);
  const Graph own = local_program(*this, graph);
  in_place_ = std::make_unique<const Program>(
      Program{Signature(own, input_labels(), size_advice()), backend->load(own, loading)});
  return *in_place_;
}

std::vector<NamedIndex> CompiledState::trained_parameters() const {
  std::vector<NamedIndex> trained;
  for (const NamedIndex& key : parameters) {
    if (!is_frozen(key)) trained.push_back(key);
  }
  return trained;
}

std::vector<size_t> CompiledState::trained_inputs() const {
  std::vector<size_t> indices;
  for (const NamedIndex& key : parameters) {
    if (!is_frozen(key)) indices.push_back(key.index);
  }
  return indices;
}

Graph CompiledModel::Impl::gradients(const std::vector<size_t>& requested_outputs) {
  const std::lock_guard lock(*facts_mutex);
  return gradient_graph(requested_outputs, trained_inputs());
}

void CompiledState::require_gradients() const {
  if (!inference) return;
  raise({.kind = ErrorKind::gradient,
         .code = "E0505",
         .message = "the model was compiled for inference: it has no gradients"});
}

void CompiledState::require_graph(const char* call) const {
  if (!native_code_bytes) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1048",
         .message = std::string(call) + " needs the graph of the model, which is native code",
         .help = "convert TorchScript with ml.from_torch; load a package that has a model without "
                 "allow_native_code"});
}

const Program& CompiledModel::Impl::with_gradients(const std::vector<size_t>& requested_outputs,
                                                   const std::vector<size_t>& inputs) {
  require_gradients();
  const std::lock_guard lock(*facts_mutex);
  std::unique_ptr<const Program>& program = backward_[{requested_outputs, inputs}];
  if (program) return *program;
  std::vector<std::string> labels = input_labels();
  for (const size_t i : requested_outputs)
    labels.push_back("the gradient of " + in_quotes(outputs[i].name));
  const Graph both = gradient_graph(requested_outputs, inputs);
  agree_on_graph(*this, both);
  const Graph own = local_program(*this, both, inputs);
  program = std::make_unique<const Program>(
      Program{Signature(own, std::move(labels), size_advice()), backend->load(own, load_options)});
  return *program;
}

TrainingGraph CompiledModel::Impl::step_graph(const std::vector<size_t>& requested_outputs,
                                              const std::vector<TrainedParameter>& trained,
                                              const Optimizer& optimizer,
                                              const TrainingOptions& options, StepPart part,
                                              StepScalars scalars) const {
  require_gradients();
  const std::lock_guard lock(*facts_mutex);
  std::vector<size_t> moved;
  for (const TrainedParameter& parameter : trained) moved.push_back(parameter.input);
  return training_graph(gradient_graph(requested_outputs, moved), trained, optimizer, options, part,
                        scalars);
}

TrainingProgram CompiledModel::Impl::training(const std::vector<size_t>& requested_outputs,
                                              const std::vector<TrainedParameter>& trained,
                                              const Optimizer& optimizer,
                                              const TrainingOptions& options, StepPart part) {
  const TrainingGraph step =
      step_graph(requested_outputs, trained, optimizer, options, part, StepScalars::inputs);
  const std::lock_guard lock(*facts_mutex);
  std::vector<std::string> labels = input_labels();
  for (size_t i = labels.size(); i < step.graph.inputs().size(); ++i) {
    labels.push_back(in_quotes(step.graph.value(step.graph.inputs()[i]).name));
  }
  LoadOptions loading = load_options;
  loading.donations = step.donations;
  agree_on_graph(*this, step.graph);
  const Graph own = local_program(*this, step);
  return {{Signature(own, std::move(labels), size_advice()), backend->load(own, loading)},
          step.donations};
}

}  // namespace mithril
