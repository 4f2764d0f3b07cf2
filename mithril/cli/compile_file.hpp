// Compiles the models of files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mithril/cli/model_file.hpp"
#include "mithril/cli/random_inputs.hpp"

namespace mithril::cli {

// The model in inference mode on the CPU, with the values of --dtype, --threads and --constant, and
// these shapes: those of --shape, and of arrays. StatedError for sizes and constants of the call
// that the model does not take; errors as compile and Package::compile.
CompiledModel compile_file(const ModelFile& file, const Arguments& arguments,
                           const std::vector<std::string>& shapes);
// The same on another backend, with the values of --shape.
CompiledModel compile_file(const ModelFile& file, const Arguments& arguments,
                           const std::shared_ptr<Backend>& backend, bool inference);

// The parameters of the file, or initial ones that are drawn with --seed. States among the tensors
// of the file are left out. StatedError if they do not fit the sizes of --shape; UsageError if
// sizes are not known.
TensorMap parameters_of(const ModelFile& file, const CompiledModel& compiled,
                        const Arguments& arguments);

// The states of the file that the model reads, or the initial ones.
State state_of(const ModelFile& file, const CompiledModel& compiled);

}  // namespace mithril::cli
