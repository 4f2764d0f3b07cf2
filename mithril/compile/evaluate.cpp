// Checks the user's tensors, runs a program, and names the results.
#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/compile/local_program.hpp"
#include "mithril/compile/parameter_blocks.hpp"
#include "mithril/compile/select_outputs.hpp"
#include "mithril/distributed/or_abandon.hpp"

namespace mithril {

using Impl = CompiledModel::Impl;

std::vector<size_t> requested(const CompiledState& compiled, const OutputGradients& asked) {
  std::vector<size_t> requested_outputs;
  if (const TensorMap* gradients = asked.gradients()) {
    for (const auto& [key, tensor] : *gradients)
      requested_outputs.push_back(output_named(compiled, key));
    std::sort(requested_outputs.begin(), requested_outputs.end());
    return requested_outputs;
  }
  const auto is_scalar = [&](const NamedIndex& output) {
    const Value& value = compiled.graph.value(compiled.graph.outputs()[output.index].value);
    return value.ranked && value.dims.empty();
  };
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    const bool only = compiled.outputs.size() == 1;
    if ((only || compiled.outputs[i].name == "final_cost") && is_scalar(compiled.outputs[i]))
      requested_outputs = {i};
  }
  if (!requested_outputs.empty()) return requested_outputs;
  raise({.kind = ErrorKind::input,
         .code = "E0808",
         .message = "there is no output to take the gradients of: expected a scalar final_cost, or "
                    "one output that is a scalar",
         .facts = {{"outputs", names_or_none(names_of(compiled.outputs))}},
         .help = "give the gradients that come in at the outputs"});
}

TensorMap named(const std::vector<NamedIndex>& keys, const std::vector<Tensor>& tensors) {
  std::vector<TensorMap::Item> items;
  items.reserve(keys.size());
  for (const NamedIndex& key : keys) items.emplace_back(key.name, tensors[key.index]);
  return TensorMap(std::move(items));
}

Tensor incoming_gradient(const CompiledState& compiled, const Signature& signature,
                         const OutputGradients& asked, const std::vector<size_t>& requested_outputs,
                         size_t i) {
  const size_t at = compiled.inputs.size() + i;
  const TensorMap* gradients = asked.gradients();
  const Tensor* gradient =
      gradients ? gradients->find(compiled.outputs[requested_outputs[i]].name, i) : nullptr;
  return gradient ? signature.convert(at, *gradient) : Tensor::full(signature.dtype(at), {}, 1.0);
}

State next_state(const CompiledState& compiled, const State& previous,
                 const std::vector<Tensor>& results) {
  State state = previous;
  for (const NamedIndex& key : compiled.next_states) {
    state[key.name] = compiled.backend->adopt(results[key.index], false);
  }
  return state;
}

const std::shared_ptr<Impl>& in_use(const std::shared_ptr<Impl>& compiled) {
  const auto is_active = [](const Hook& hook) { return hook.active->load(); };
  const bool hooked = std::any_of(compiled->hooks.begin(), compiled->hooks.end(), is_active);
  return compiled->without_hooks && !hooked ? compiled->without_hooks : compiled;
}

namespace {

struct Request {
  const TensorMap &params, &data;
  const OutputGradients* gradients = nullptr;
  const State* state = nullptr;
  const std::vector<std::string>* outputs = nullptr;
  const std::vector<std::string>* gradient_keys = nullptr;
};

struct Result {
  TensorMap outputs, gradients;
  State state;
};

// The model with the outputs that are asked for and those whose gradients are.
std::shared_ptr<Impl> selected(const std::shared_ptr<Impl>& whole, const Request& request) {
  std::vector<std::string> names = *request.outputs;
  if (request.gradients && !names.empty()) {
    for (const size_t i : requested(*whole, *request.gradients))
      names.push_back(whole->outputs[i].name);
  }
  return with_outputs(whole, names);
}

// An input whose gradient is returned.
struct DifferentiatedInput {
  const NamedIndex* key;        // of the whole model
  std::optional<size_t> index;  // in the model with the selected outputs; none: they do not need it
};

// Parameters and data with these keys, in the order of the model; without keys all parameters that
// are not frozen.
std::vector<const NamedIndex*> inputs_named(const CompiledState& whole,
                                            const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (contains(whole.parameters, key) || contains(whole.data, key)) continue;
    std::vector<std::string> known = names_of(whole.parameters), data = names_of(whole.data);
    known.insert(known.end(), data.begin(), data.end());
    unknown_name(ErrorKind::input, "E0817", "input", key, "", known);
  }
  const auto is_asked = [&](const std::string& name) {
    return std::find(keys.begin(), keys.end(), name) != keys.end();
  };
  std::vector<const NamedIndex*> inputs;
  for (const NamedIndex& key : whole.parameters)
    if (keys.empty() ? !whole.is_frozen(key) : is_asked(key.name)) inputs.push_back(&key);
  for (const NamedIndex& key : whole.data)
    if (is_asked(key.name)) inputs.push_back(&key);
  return inputs;
}

std::vector<DifferentiatedInput> differentiated_inputs(const CompiledState& compiled,
                                                       const CompiledState& whole,
                                                       const std::vector<std::string>& keys) {
  std::vector<DifferentiatedInput> inputs;
  for (const NamedIndex* key : inputs_named(whole, keys)) inputs.push_back({key, key->index});
  if (&compiled == &whole) return inputs;
  std::unordered_map<std::string_view, size_t> indices;
  for (const auto* needed : {&compiled.parameters, &compiled.data}) {
    for (const NamedIndex& key : *needed) indices.emplace(key.name, key.index);
  }
  for (DifferentiatedInput& input : inputs) {
    const auto at = indices.find(input.key->name);
    input.index = at == indices.end() ? std::nullopt : std::optional(at->second);
  }
  return inputs;
}

std::vector<size_t> indices_of(const std::vector<DifferentiatedInput>& inputs) {
  std::vector<size_t> indices;
  for (const DifferentiatedInput& input : inputs) {
    if (input.index) indices.push_back(*input.index);
  }
  return indices;
}

// The gradients of these inputs; zeros for those that the outputs do not need.
TensorMap gradients_of(const CompiledState& compiled, const CompiledState& whole,
                       const std::vector<DifferentiatedInput>& inputs, const Request& request,
                       const std::vector<Tensor>& results) {
  std::vector<TensorMap::Item> gradients;
  gradients.reserve(inputs.size());
  size_t next = compiled.graph.outputs().size();
  for (const auto& [key, index] : inputs) {
    if (index) {
      gradients.emplace_back(key->name, compiled.backend->own(results[next++]));
      continue;
    }
    const Tensor* argument = request.params.find(key->name);
    if (!argument) argument = request.data.find(key->name);
    if (!argument) continue;
    const DType dtype = whole.graph.value(whole.graph.inputs()[key->index]).dtype;
    gradients.emplace_back(key->name,
                           compiled.backend->own(Tensor::full(dtype, argument->dims(), 0.0)));
  }
  return TensorMap(std::move(gradients));
}

// The outputs with these names, in the order of the model.
std::vector<NamedIndex> those(const std::vector<std::string>& names,
                              const CompiledState& compiled) {
  std::vector<NamedIndex> outputs;
  for (const NamedIndex& key : compiled.outputs) {
    if (std::find(names.begin(), names.end(), key.name) != names.end()) outputs.push_back(key);
  }
  return outputs;
}

// Detaches frozen parameters: autograd of torch computes no gradients of them, even if the given
// tensors require some.
void detach_frozen(const CompiledState& compiled, std::vector<Tensor>& inputs) {
  if (compiled.inference) return;
  for (const NamedIndex& key : compiled.parameters) {
    Tensor& input = inputs[key.index];
    if (compiled.is_frozen(key) && input.foreign()) input = compiled.backend->adopt(input, false);
  }
}

// `compiled` has the requested outputs of `whole`.
Result run(Impl& compiled, const Impl& whole, const Request& request) {
  const State none, &state = request.state ? *request.state : none;
  check_state(compiled, state, "evaluate");
  require_blocks(compiled, request.params);
  const std::vector<size_t> requested_outputs =
      request.gradients ? requested(compiled, *request.gradients) : std::vector<size_t>();
  std::vector<DifferentiatedInput> differentiated;
  if (request.gradients)
    differentiated = differentiated_inputs(compiled, whole, *request.gradient_keys);
  const Program& program =
      request.gradients ? compiled.with_gradients(requested_outputs, indices_of(differentiated))
                        : compiled.forward();
  std::vector<Tensor> inputs(program.signature.size());
  take_inputs(compiled, program.signature, request.params, request.data, state, inputs, "data",
              true);
  detach_frozen(compiled, inputs);
  for (size_t i = 0; i < requested_outputs.size(); ++i) {
    inputs[compiled.inputs.size() + i] =
        incoming_gradient(compiled, program.signature, *request.gradients, requested_outputs, i);
  }
  if (compiled.safe_shapes) program.signature.check_dims(inputs);
  agree_on_sizes(compiled, inputs);
  const std::vector<Tensor> results = run_debugged(compiled, *program.executable, inputs);

  const std::vector<std::string>& asked = *request.outputs;
  Result result{.outputs =
                    named(asked.empty() ? compiled.outputs : those(asked, compiled), results)};
  if (request.state) result.state = next_state(compiled, state, results);
  if (request.gradients)
    result.gradients = gradients_of(compiled, whole, differentiated, request, results);
  return result;
}

Result run(const std::shared_ptr<Impl>& model, const Request& request) {
  const TracedCall call("evaluate");
  const std::shared_ptr<Impl> whole = in_use(model);
  const std::shared_ptr<Impl> compiled = selected(whole, request);
  return or_abandon(
      group_of(*compiled), [&] { return run(*compiled, *whole, request); }, errors_of_models);
}

}  // namespace

State CompiledState::copy_of(const State& state) const {
  State copied;
  for (const auto& [key, tensor] : state) copied[key] = backend->adopt(tensor.host().copy(), false);
  return copied;
}

TensorMap CompiledModel::evaluate(const TensorMap& params, const TensorMap& data,
                                  const OutputOptions& options) const {
  return run(impl_, {params, data, nullptr, nullptr, &options.outputs}).outputs;
}

std::pair<TensorMap, TensorMap> CompiledModel::evaluate(const TensorMap& params,
                                                        const TensorMap& data,
                                                        const OutputGradients& gradients,
                                                        const GradientOptions& options) const {
  Result result =
      run(impl_, {params, data, &gradients, nullptr, &options.outputs, &options.gradient_keys});
  return {std::move(result.outputs), std::move(result.gradients)};
}

std::pair<TensorMap, State> CompiledModel::evaluate(const TensorMap& params, const TensorMap& data,
                                                    const State& state,
                                                    const OutputOptions& options) const {
  Result result = run(impl_, {params, data, nullptr, &state, &options.outputs});
  return {std::move(result.outputs), std::move(result.state)};
}

std::tuple<TensorMap, TensorMap, State> CompiledModel::evaluate(
    const TensorMap& params, const TensorMap& data, const OutputGradients& gradients,
    const State& state, const GradientOptions& options) const {
  Result result =
      run(impl_, {params, data, &gradients, &state, &options.outputs, &options.gradient_keys});
  return {std::move(result.outputs), std::move(result.gradients), std::move(result.state)};
}

}  // namespace mithril
