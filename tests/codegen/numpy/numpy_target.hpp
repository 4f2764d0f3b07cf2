// A small target for generated code: a model as a Python module that needs NumPy alone. It is the
// example of docs/add-a-target.md, and no part of the library.
#pragma once
#include <string>

#include "codegen/common/language.hpp"
#include "mithril/graph/exported_model.hpp"

namespace mithril::tests {

const codegen::Language& numpy_language();

// A module with a function `model(inputs)`: it takes a dict of the inputs by key, and returns a
// dict of the outputs. BackendError E1031 for an op without NumPy, E1032 for half precision.
std::string numpy_source(const ExportedModel& model, const std::string& name);

}  // namespace mithril::tests
