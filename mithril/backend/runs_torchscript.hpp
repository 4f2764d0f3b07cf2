// Backends that run TorchScript. It replaces the graph, and is given as the bytes of a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mithril/backend/backend.hpp"

namespace mithril {

// A second base of a Backend.
class RunsTorchScript {
 public:
  virtual ~RunsTorchScript() = default;
  // The module in the bytes of the file `where`, as an executable with the inputs and outputs of
  // `ports`, a graph without nodes. It is code with all rights of the process. BackendError E1044
  // if it cannot be loaded.
  virtual std::unique_ptr<Executable> load_torchscript(std::string_view stored,
                                                       const std::string& where,
                                                       const Graph& ports) = 0;
};

}  // namespace mithril
