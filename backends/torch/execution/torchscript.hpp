// TorchScript of others as an executable.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backends/torch/execution/executable.hpp"

namespace mithril::torch_backend {

// The module in the bytes of the file `where`, with the inputs and outputs of `ports`. BackendError
// E1044 if torch refuses it. Runs raise E1044, too, and ParseError E0769 for outputs that `ports`
// does not have.
std::unique_ptr<Executable> load_script(std::string_view stored, const std::string& where,
                                        const Graph& ports, const Context& context);

}  // namespace mithril::torch_backend
