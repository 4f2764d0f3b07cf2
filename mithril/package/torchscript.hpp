// Packages whose model is TorchScript.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mithril/package/package.hpp"

namespace mithril {

inline constexpr std::string_view torchscript_name = "backends/torch/model.pt";

// The bytes of TorchScript, which came from the file `where`, as a compiled model with the inputs
// and outputs that the package states. BackendError E1040 for a backend that does not run it.
CompiledModel compile_torchscript(const PackageInfo& info, std::string_view stored,
                                  const std::string& where, std::shared_ptr<Backend> backend);

}  // namespace mithril
