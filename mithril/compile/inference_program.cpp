#include "mithril/compile/inference_program.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "mithril/base/out_of_memory.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/compile/parameter_blocks.hpp"

namespace mithril {
namespace {

ProgramSize program_size(const Dim& dim) {
  const Dim now = resolve(dim);
  ProgramSize size{.text = to_string(now)};
  if (now.is_constant()) size.number = now.constant();
  each_symbol(now, [&](Symbol* symbol) { size.symbols.push_back(to_string(Dim(symbol))); });
  return size;
}

ProgramPort program_port(const NamedIndex& key, const std::string& path, const Value& value) {
  ProgramPort port{.name = key.name, .path = path, .index = key.index, .dtype = value.dtype};
  if (!value.ranked) return port;
  std::vector<ProgramSize>& sizes = port.sizes.emplace();
  for (const Dim& dim : value.dims) sizes.push_back(program_size(dim));
  return port;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<ProgramPort>& ports) {
  std::vector<std::string> names;
  for (const ProgramPort& port : ports) names.push_back(port.name);
  return names;
}

const ProgramPort* port_named(const std::vector<ProgramPort>& ports, std::string_view name) {
  const auto found = std::find_if(ports.begin(), ports.end(),
                                  [&](const ProgramPort& port) { return port.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

InferenceProgram::InferenceProgram(const CompiledModel& model)
    : compiled_(in_use(in_inference(model.impl_))) {
  const std::lock_guard lock(*compiled_->facts_mutex);
  const Graph& graph = compiled_->graph;
  const auto input_port = [&](const NamedIndex& key) {
    return program_port(key, compiled_->inputs[key.index].path,
                        graph.value(graph.inputs()[key.index]));
  };
  for (const NamedIndex& key : compiled_->data) inputs_.push_back(input_port(key));
  for (const NamedIndex& key : compiled_->states) states_.push_back(input_port(key));
  for (const NamedIndex& key : compiled_->outputs) {
    const Value& value = graph.value(graph.outputs()[key.index].value);
    outputs_.push_back(program_port(key, value.name, value));
  }
}

const Graph& InferenceProgram::graph() const { return compiled_->graph; }

std::optional<ProgramSize> InferenceProgram::size(ValueId value, std::size_t axis) const {
  const std::lock_guard lock(*compiled_->facts_mutex);
  const Value& at = compiled_->graph.value(value);
  if (!at.ranked || axis >= at.dims.size()) return std::nullopt;
  return program_size(at.dims[axis]);
}

std::int64_t InferenceProgram::bytes() const {
  std::int64_t bytes = compiled_->native_code_bytes.value_or(0);
  for (const Constant& constant : compiled_->graph.constants())
    bytes += static_cast<std::int64_t>(constant.tensor.bytes());
  return bytes;
}

std::int64_t InferenceProgram::state_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [key, tensor] : compiled_->initial)
    bytes += static_cast<std::int64_t>(tensor.bytes());
  return bytes;
}

std::vector<Tensor> InferenceProgram::check(const TensorMap& params, const TensorMap& data,
                                            const ProgramCall& call) const {
  refuse_blocks(*compiled_, params, "inference");
  const Signature& signature = compiled_->forward().signature;
  std::vector<Tensor> inputs(signature.size());
  take_inputs(*compiled_, signature, params, data, compiled_->initial, inputs, call.data_name,
              call.takes_outputs);
  signature.check_dims(inputs);
  return inputs;
}

TensorMap InferenceProgram::run(std::span<const Tensor> inputs) const {
  return named(compiled_->outputs, compiled_->forward().executable->run(inputs));
}

State InferenceProgram::initial_state() const { return compiled_->copy_of(compiled_->initial); }

TensorMap InferenceProgram::run(std::span<const Tensor> inputs, State& state) const {
  const Program& program = compiled_->in_place();
  std::vector<Tensor> tensors(inputs.begin(), inputs.end());
  for (const NamedIndex& key : compiled_->states) tensors[key.index] = state.at(key.name);
  const std::vector<Tensor> made = program.executable->run(tensors);
  tensors.clear();
  return after_writing([&] {
    state = next_state(*compiled_, state, made);
    return named(compiled_->outputs, made);
  });
}

}  // namespace mithril
