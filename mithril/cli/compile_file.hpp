// Compiles the models of files for the CPU backend.
#pragma once

#include <string>
#include <vector>

#include "mithril/cli/model_file.hpp"
#include "mithril/cli/random_inputs.hpp"

namespace mithril::cli {

// The options of compile for these values of --shape, and of --constant.
CompileOptions compile_options_of(const ModelFile& file, const Arguments& arguments,
                                  const std::vector<std::string>& shapes, bool inference);

// The model in inference mode, with the values of --dtype, --threads and --constant, and these
// values of --shape. Errors as compile and Package::compile.
CompiledModel compile_file(const ModelFile& file, const Arguments& arguments,
                           const std::vector<std::string>& shapes);

// The states of the file that the model reads, or the initial ones.
State state_of(const ModelFile& file, const CompiledModel& compiled);

}  // namespace mithril::cli
