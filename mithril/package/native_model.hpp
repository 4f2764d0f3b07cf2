// Compiled models whose executable is native code of a package.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "mithril/backend/backend.hpp"
#include "mithril/package/package.hpp"

namespace mithril {

// Makes the executable for the inputs and outputs of `ports`, a graph without nodes.
using LoadNative = std::function<std::unique_ptr<Executable>(const Graph& ports)>;

// A compiled model with the inputs and outputs of `info`; `bytes` count as its memory.
CompiledModel native_model(const PackageInfo& info, std::int64_t bytes,
                           std::shared_ptr<Backend> backend, const LoadNative& load);

}  // namespace mithril
