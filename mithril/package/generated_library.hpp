// Packages with a shared library that ml.build_library made, which runs in place of the model.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mithril/package/package.hpp"

namespace mithril {

inline constexpr std::string_view library_name = "libmodel.so", weights_name = "libmodel.weights";

// The files of a library, as the package has them.
struct StoredLibrary {
  std::string_view library, weights;
  std::string where;  // the file of the library
};

// The library as a compiled model for inputs of its sizes. The bytes are copied to a private folder
// and loaded from there, so that what was checked is what runs. BackendError E1047 if it cannot be
// loaded; ParseError E0769 if its inputs and outputs are not those that the package states.
CompiledModel compile_library(const PackageInfo& info, const StoredLibrary& stored,
                              std::shared_ptr<Backend> backend);

}  // namespace mithril
