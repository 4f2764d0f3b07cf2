#include "mithril/cli/random_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "backends/cpu/cpu.hpp"
#include "mithril/cli/stated.hpp"
#include "mithril/compile/inference_program.hpp"

namespace mithril::cli {
namespace {

[[noreturn]] void refuse_open_sizes(const std::string& key) {
  throw UsageError{fmt::format("the sizes of '{}' are not known", key),
                   fmt::format("state them: --shape {}=8,4", key)};
}

// StatedError for more elements than a tensor can have.
Tensor random_tensor(DType dtype, const Dims& dims, std::uint64_t seed) {
  if (is_floating(dtype)) return stated([&] { return Tensor::randn(dims, seed, dtype); });
  Tensor bits = stated([&] { return Tensor::randn(dims, seed); });
  for (float& value : bits.mutable_values<float>()) value = value > 0 ? 1.0F : 0.0F;
  return bits.to(dtype);
}

Dims dims_of(const ProgramPort& port) {
  Dims dims;
  for (const ProgramSize& size : port.sizes.value_or(std::vector<ProgramSize>{})) {
    if (size.number) dims.push_back(*size.number);
  }
  if (!port.sizes || dims.size() < port.sizes->size()) refuse_open_sizes(port.name);
  return dims;
}

Dims dims_of(const std::string& key, const Value& value) {
  Dims dims;
  for (const Dim& dim : value.dims) {
    if (resolve(dim).is_constant()) dims.push_back(resolve(dim).constant());
  }
  if (!value.ranked || dims.size() < value.dims.size()) refuse_open_sizes(key);
  return dims;
}

}  // namespace

std::shared_ptr<Backend> cpu_of(const Arguments& arguments) {
  CpuOptions options{.dtype = parse_dtype(arguments.value_or("--dtype", "float32"))};
  constexpr int most = std::numeric_limits<int>::max();
  options.threads = static_cast<int>(arguments.number("--threads", 1, most).value_or(0));
  return cpu(options);
}

TensorMap needed_parameters(const ModelFile& file, const CompiledModel& compiled) {
  const State states = compiled.initial_state_dict();
  const std::vector<std::string> unneeded = compiled.unneeded_keys();
  TensorMap params;
  for (const auto& [key, tensor] : *file.params) {
    const bool is_unneeded = std::find(unneeded.begin(), unneeded.end(), key) != unneeded.end();
    if (!is_unneeded && !states.contains(key)) params[key] = tensor;
  }
  return params;
}

TensorMap inputs_of(const CompiledModel& compiled, TensorMap given, std::uint64_t seed) {
  const InferenceProgram program(compiled);
  for (const ProgramPort& port : program.inputs()) {
    if (given.contains(port.name)) continue;
    given[port.name] = random_tensor(port.dtype, dims_of(port), ++seed);
  }
  return given;
}

TensorMap training_inputs_of(const CompiledModel& compiled, TensorMap given, std::uint64_t seed) {
  const ExportedModel exported = compiled.exported_with_open_sizes();
  for (std::size_t i = 0; i < exported.inputs.size(); ++i) {
    const ExportedInput& input = exported.inputs[i];
    if (input.role != ExportedInput::Role::data || given.contains(input.key)) continue;
    const Value& value = exported.graph.value(exported.graph.inputs()[i]);
    given[input.key] = random_tensor(value.dtype, dims_of(input.key, value), ++seed);
  }
  return given;
}

}  // namespace mithril::cli
