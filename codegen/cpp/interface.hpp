// The C interface of a generated file: structs of pointers, and two functions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "codegen/common/program.hpp"
#include "mithril/graph/exported_model.hpp"

namespace mithril::codegen {

// The names of the members of its structs.
struct Members {
  std::vector<std::string> inputs;            // as ExportedModel::inputs
  std::vector<std::string> outputs;           // as ExportedModel::outputs
  std::vector<std::string> output_gradients;  // as ExportedModel::gradient_of
  std::vector<std::string> gradients;         // as the trained parameters among the inputs
};
Members members_of(const ExportedModel& model);

// The statements at the beginning of an interface function that return an error message if a
// required pointer is null. `gradients`: null for the function of the outputs alone.
std::string null_checks(const std::string& function, const ExportedModel& model,
                        const Members& members, const SourceProgram& forward,
                        const SourceProgram* gradients);

// Declarations with comments. `gradients`: null if the model has none.
std::string interface_text(const std::string& name, const ExportedModel& model,
                           const Members& members, const SourceProgram& forward,
                           const SourceProgram* gradients);

}  // namespace mithril::codegen
