// Parameters and inputs of models: given, or random.
#pragma once

#include <cstdint>
#include <memory>

#include "mithril/cli/command.hpp"
#include "mithril/cli/model_file.hpp"
#include "mithril/compile/compiled_model.hpp"

namespace mithril::cli {

// The backend of --dtype and --threads.
std::shared_ptr<Backend> cpu_of(const Arguments& arguments);

// The parameters of the file that the model needs, without states.
TensorMap needed_parameters(const ModelFile& file, const CompiledModel& compiled);

// The data inputs. Those that `given` lacks are random: normally distributed floats, and ints and
// bools of 0 and 1. UsageError if the sizes of a random one are not known.
TensorMap inputs_of(const CompiledModel& compiled, TensorMap given, std::uint64_t seed);
// The same for evaluations as the model was compiled, such as those with gradients.
TensorMap training_inputs_of(const CompiledModel& compiled, TensorMap given, std::uint64_t seed);

}  // namespace mithril::cli
