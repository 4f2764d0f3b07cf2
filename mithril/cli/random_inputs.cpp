#include "mithril/cli/random_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/inference_program.hpp"

namespace mithril::cli {
namespace {

Tensor random_tensor(const ProgramPort& port, std::uint64_t seed) {
  Dims dims;
  for (const ProgramSize& size : port.sizes.value_or(std::vector<ProgramSize>{})) {
    if (size.number) dims.push_back(*size.number);
  }
  if (!port.sizes || dims.size() < port.sizes->size()) {
    throw UsageError{fmt::format("the sizes of '{}' are not known", port.name),
                     fmt::format("state them: --shape {}=8,4", port.name)};
  }
  if (is_floating(port.dtype)) return Tensor::randn(dims, seed, port.dtype);
  Tensor bits = Tensor::randn(dims, seed);
  for (float& value : bits.mutable_values<float>()) value = value > 0 ? 1.0F : 0.0F;
  return bits.to(port.dtype);
}

}  // namespace

std::shared_ptr<Backend> cpu_of(const Arguments& arguments) {
  CpuOptions options{.dtype = parse_dtype(arguments.value_or("--dtype", "float32"))};
  options.threads = static_cast<int>(arguments.number("--threads", 1).value_or(0));
  return cpu(options);
}

TensorMap parameters_of(const ModelFile& file, const CompiledModel& compiled, std::uint64_t seed) {
  if (file.params) {
    const State states = compiled.initial_state_dict();
    const std::vector<std::string> unneeded = compiled.unneeded_keys();
    TensorMap params;
    for (const auto& [key, tensor] : *file.params) {
      const bool is_unneeded = std::find(unneeded.begin(), unneeded.end(), key) != unneeded.end();
      if (!is_unneeded && !states.contains(key)) params[key] = tensor;
    }
    return compiled.load_state_dict(params);
  }
  try {
    return compiled.get_parameters(seed);
  } catch (const ShapeError& error) {
    if (error.code() != "E0209") throw;
    const std::vector<std::string> keys = compiled.data_keys();
    throw UsageError{"the sizes of the parameters follow from the sizes of inputs, which are open",
                     fmt::format("state them: --shape {}=8,4", keys.empty() ? "x" : keys.front())};
  }
}

TensorMap inputs_of(const CompiledModel& compiled, TensorMap given, std::uint64_t seed) {
  const InferenceProgram program(compiled);
  for (const ProgramPort& port : program.inputs()) {
    if (!given.contains(port.name)) given[port.name] = random_tensor(port, ++seed);
  }
  return given;
}

}  // namespace mithril::cli
