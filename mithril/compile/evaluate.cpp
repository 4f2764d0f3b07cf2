// Checks the user's tensors, runs a program, and names the results.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/evaluating.hpp"
#include "mithril/compile/training_graph.hpp"
#include "mithril/passes/split_gradient.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : join(names, ", ");
}

// One of the user's two maps, and the other one.
struct Given {
  const char* map;   // "params"
  const char* what;  // "parameter"
  const TensorMap& tensors;
  const std::vector<NamedIndex>& expected;
};

// Advice for a parameter that the user named, which may be meant as data. Layers have paths.
std::string or_as_data(const Given& given, const std::string& key) {
  if (std::string_view(given.what) != "parameter" || key.find('.') != std::string::npos) return {};
  return ", or name " + quoted(key) + " in data_keys when compiling, if it is data";
}

void refuse_unexpected(const Given& given, const Given& other) {
  for (const auto& [key, tensor] : given.tensors) {
    if (contains(given.expected, key)) continue;
    if (contains(other.expected, key)) {
      raise({.kind = ErrorKind::input,
             .code = "E0806",
             .message = quoted(key) + " is in " + given.map + ", but is a " + other.what,
             .help = "give it in " + std::string(other.map) + or_as_data(other, key)});
    }
    // Other maps than data and params, such as validation data, are named.
    const std::string_view map = given.map;
    unknown_name(ErrorKind::input, "E0802", given.what, key,
                 map == "data" || map == "params" ? "" : map, names_of(given.expected));
  }
}

[[noreturn]] void refuse_missing(const Given& given) {
  std::vector<std::string> missing;
  for (const NamedIndex& key : given.expected) {
    if (!given.tensors.contains(key.name)) missing.push_back(key.name);
  }
  std::string help;
  for (const std::string& key : missing) {
    if (help.empty()) help = or_as_data(given, key);
  }
  if (!help.empty()) help = "give it in " + std::string(given.map) + help;
  raise({.kind = ErrorKind::input,
         .code = "E0801",
         .message = std::string(given.map) + " lacks " + join(missing, ", "),
         .facts = {{"expected", listed(names_of(given.expected))},
                   {"got", listed(given.tensors.keys())}},
         .help = std::move(help)});
}

void take(const Given& given, const Given& other, const Signature& signature,
          std::vector<Tensor>& inputs) {
  bool complete = true;
  for (size_t i = 0; i < given.expected.size() && complete; ++i) {
    const Tensor* tensor = given.tensors.find(given.expected[i].name, i);
    complete = tensor != nullptr;
    const size_t at = given.expected[i].index;
    if (tensor) inputs[at] = signature.convert(at, *tensor);
  }
  if (complete && given.tensors.size() == given.expected.size()) return;
  refuse_unexpected(given, other);
  refuse_unexpected(other, given);
  refuse_missing(given);
}

size_t output_named(const CompiledState& compiled, const std::string& name) {
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    if (compiled.outputs[i].name == name) return i;
  }
  unknown_name(ErrorKind::input, "E0807", "output", name, "", names_of(compiled.outputs));
}

}  // namespace

std::vector<size_t> requested(const CompiledState& compiled, const OutputGradients& asked) {
  std::vector<size_t> of;
  if (const TensorMap* gradients = asked.gradients()) {
    for (const auto& [key, tensor] : *gradients) of.push_back(output_named(compiled, key));
    std::sort(of.begin(), of.end());
    return of;
  }
  const auto is_scalar = [&](const NamedIndex& output) {
    const Value& value = compiled.graph.value(compiled.graph.outputs()[output.index].value);
    return value.ranked && value.dims.empty();
  };
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    const bool only = compiled.outputs.size() == 1;
    if ((only || compiled.outputs[i].name == "final_cost") && is_scalar(compiled.outputs[i]))
      of = {i};
  }
  if (!of.empty()) return of;
  raise({.kind = ErrorKind::input,
         .code = "E0808",
         .message = "there is no output to take the gradients of: expected a scalar final_cost, or "
                    "one output that is a scalar",
         .facts = {{"outputs", listed(names_of(compiled.outputs))}},
         .help = "give the gradients that come in at the outputs"});
}

TensorMap named(const std::vector<NamedIndex>& keys, const std::vector<Tensor>& tensors) {
  std::vector<TensorMap::Item> items;
  items.reserve(keys.size());
  for (const NamedIndex& key : keys) items.emplace_back(key.name, tensors[key.index]);
  return TensorMap(std::move(items));
}

Tensor incoming_gradient(const CompiledState& compiled, const Signature& signature,
                         const OutputGradients& asked, const std::vector<size_t>& of, size_t i) {
  const size_t at = compiled.inputs.size() + i;
  const TensorMap* gradients = asked.gradients();
  const Tensor* given = gradients ? gradients->find(compiled.outputs[of[i]].name, i) : nullptr;
  return given ? signature.convert(at, *given) : Tensor::full(signature.dtype(at), {}, 1.0);
}

State next_state(const CompiledState& compiled, const State& given,
                 const std::vector<Tensor>& made) {
  State state = given;
  for (const NamedIndex& key : compiled.next_states) {
    state[key.name] = compiled.backend->adopt(made[key.index], false);
  }
  return state;
}

namespace {

struct Request {
  const TensorMap &params, &data;
  const OutputGradients* gradients = nullptr;
  const State* state = nullptr;
};

struct Result {
  TensorMap outputs, gradients;
  State state;
};

void take_state(const CompiledState& compiled, const State& state, const Signature& signature,
                std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < compiled.states.size(); ++i) {
    const auto& [key, at] = compiled.states[i];
    const Tensor* tensor = state.find(key, i);
    inputs[at] = signature.convert(at, tensor ? *tensor : compiled.initial.at(key));
  }
}

}  // namespace

void check_state(const CompiledState& compiled, const State& state, const char* call) {
  if (state.empty() && !compiled.required_states.empty()) {
    raise({.kind = ErrorKind::state,
           .code = "E0920",
           .message = std::string(call) + " needs the state of the model, and none was given",
           .facts = {{"state", join(compiled.required_states, ", ")}},
           .help =
               "begin with initial_state_dict, and give each call the state that the one before "
               "returned; TrainingStep keeps it, and infer reads it"});
  }
  size_t known = 0;
  for (size_t i = 0; i < compiled.state_keys.size(); ++i)
    known += state.find(compiled.state_keys[i], i) != nullptr;
  const auto is_given = [&](const std::string& key) { return state.contains(key); };
  const std::vector<std::string>& required = compiled.required_states;
  if (known == state.size() && (known == compiled.state_keys.size() ||
                                std::all_of(required.begin(), required.end(), is_given)))
    return;
  raise({.kind = ErrorKind::state,
         .code = "E0902",
         .message = "the state has other keys than the model",
         .facts = {{"expected", listed(names_of(compiled.states))}, {"got", listed(state.keys())}},
         .help = "begin with initial_state_dict()"});
}

void check_fits(const Signature& signature, const NamedIndex& key, const Tensor& state) {
  const std::string why = signature.mismatch(key.index, state);
  if (why.empty()) return;
  raise({.kind = ErrorKind::state,
         .code = "E0923",
         .message = "the state does not fit the model",
         .facts = {{"mismatched", key.name + " " + why}}});
}

void take_inputs(const CompiledState& compiled, const Signature& signature, const TensorMap& params,
                 const TensorMap& data, const State& state, std::vector<Tensor>& inputs,
                 const char* data_name) {
  const Given given_params{"params", "parameter", params, compiled.parameters};
  const Given given_data{data_name, "data input", data, compiled.data};
  take(given_params, given_data, signature, inputs);
  take(given_data, given_params, signature, inputs);
  take_state(compiled, state, signature, inputs);
}

const std::shared_ptr<Impl>& in_use(const std::shared_ptr<Impl>& compiled) {
  const auto is_active = [](const Hook& hook) { return hook.active->load(); };
  const bool hooked = std::any_of(compiled->hooks.begin(), compiled->hooks.end(), is_active);
  return compiled->without_hooks && !hooked ? compiled->without_hooks : compiled;
}

namespace {

Result run(const std::shared_ptr<Impl>& given, const Request& request) {
  Impl& compiled = *in_use(given);
  const State none, &state = request.state ? *request.state : none;
  check_state(compiled, state, "evaluate");
  const std::vector<size_t> of =
      request.gradients ? requested(compiled, *request.gradients) : std::vector<size_t>();
  const Program& program = request.gradients ? compiled.with_gradients(of) : *compiled.forward;
  std::vector<Tensor> inputs(program.signature.size());
  take_inputs(compiled, program.signature, request.params, request.data, state, inputs);
  for (size_t i = 0; i < of.size(); ++i) {
    inputs[compiled.inputs.size() + i] =
        incoming_gradient(compiled, program.signature, *request.gradients, of, i);
  }
  if (compiled.safe_shapes) program.signature.check_dims(inputs);
  const std::vector<Tensor> made = run_debugged(compiled, *program.executable, inputs);

  Result result{.outputs = named(compiled.outputs, made)};
  if (request.state) result.state = next_state(compiled, state, made);
  if (!request.gradients) return result;
  std::vector<TensorMap::Item> gradients;
  gradients.reserve(compiled.parameters.size());
  for (const NamedIndex& key : compiled.parameters) {
    const Tensor& gradient = made[compiled.graph.outputs().size() + gradients.size()];
    gradients.emplace_back(key.name, compiled.backend->own(gradient));
  }
  result.gradients = TensorMap(std::move(gradients));
  return result;
}

}  // namespace

std::vector<std::string> CompiledState::input_labels() const {
  std::vector<std::string> labels;
  for (const InputKey& input : inputs) labels.push_back(quoted(input.key));
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

// The executable belongs to this object, so its callbacks may refer to it.
void CompiledModel::Impl::load() {
  LoadOptions options = load_options;
  if (!inference) {
    options.split = [this](const std::vector<bool>& wanted) {
      const std::lock_guard lock(*facts_mutex);
      DifferentiateOptions asked;
      const std::vector<bool> differentiable = differentiable_outputs();
      for (size_t i = 0; i < differentiable.size(); ++i) {
        if (differentiable[i]) asked.outputs.push_back(graph.outputs()[i].name);
      }
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i]) asked.wanted.push_back(inputs[i].path);
      }
      GradientGraphs split =
          split_gradient(differentiated(asked), inputs.size(), graph.outputs().size());
      split.differentiable = differentiable;
      return split;
    };
  }
  forward = std::make_unique<const Program>(
      Program{Signature(graph, input_labels(), size_advice()), backend->load(graph, options)});
}

std::vector<size_t> CompiledState::parameter_inputs() const {
  std::vector<size_t> indices;
  for (const NamedIndex& key : parameters) indices.push_back(key.index);
  return indices;
}

State CompiledState::copy_of(const State& state) const {
  State copied;
  for (const auto& [key, tensor] : state) copied[key] = backend->adopt(tensor.host().copy(), false);
  return copied;
}

Graph CompiledModel::Impl::gradients(const std::vector<size_t>& of) {
  const std::lock_guard lock(*facts_mutex);
  return gradient_graph(of, parameter_inputs());
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

const Program& CompiledModel::Impl::with_gradients(const std::vector<size_t>& of) {
  require_gradients();
  const std::lock_guard lock(*facts_mutex);
  std::unique_ptr<const Program>& program = backward_[of];
  if (program) return *program;
  std::vector<std::string> labels = input_labels();
  for (const size_t i : of) labels.push_back("the gradient of " + quoted(outputs[i].name));
  const Graph both = gradient_graph(of, parameter_inputs());
  program = std::make_unique<const Program>(Program{
      Signature(both, std::move(labels), size_advice()), backend->load(both, load_options)});
  return *program;
}

TrainingProgram CompiledModel::Impl::training(const std::vector<size_t>& of,
                                              const std::vector<TrainedParameter>& trained,
                                              const Optimizer& optimizer,
                                              const TrainingOptions& options, StepPart part) {
  require_gradients();
  const std::lock_guard lock(*facts_mutex);
  std::vector<size_t> moved;
  for (const TrainedParameter& parameter : trained) moved.push_back(parameter.input);
  const TrainingGraph made =
      training_graph(gradient_graph(of, moved), trained, optimizer, options, part);
  std::vector<std::string> labels = input_labels();
  for (size_t i = labels.size(); i < made.graph.inputs().size(); ++i) {
    labels.push_back(quoted(made.graph.value(made.graph.inputs()[i]).name));
  }
  LoadOptions loading = load_options;
  loading.donations = made.donations;
  return {
      {Signature(made.graph, std::move(labels), size_advice()), backend->load(made.graph, loading)},
      made.donations};
}

TensorMap CompiledModel::evaluate(const TensorMap& params, const TensorMap& data) const try {
  return run(impl_, {params, data}).outputs;
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

std::pair<TensorMap, TensorMap> CompiledModel::evaluate(const TensorMap& params,
                                                        const TensorMap& data,
                                                        const OutputGradients& gradients) const
    try {
  Result result = run(impl_, {params, data, &gradients});
  return {std::move(result.outputs), std::move(result.gradients)};
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

std::pair<TensorMap, State> CompiledModel::evaluate(const TensorMap& params, const TensorMap& data,
                                                    const State& state) const try {
  Result result = run(impl_, {params, data, nullptr, &state});
  return {std::move(result.outputs), std::move(result.state)};
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

std::tuple<TensorMap, TensorMap, State> CompiledModel::evaluate(const TensorMap& params,
                                                                const TensorMap& data,
                                                                const OutputGradients& gradients,
                                                                const State& state) const try {
  Result result = run(impl_, {params, data, &gradients, &state});
  return {std::move(result.outputs), std::move(result.gradients), std::move(result.state)};
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

}  // namespace mithril
