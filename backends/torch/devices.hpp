// The torch that is loaded, and the devices that it has.
#pragma once

#include <string>
#include <vector>

namespace mithril::torch_backend {

std::vector<std::string> devices();  // "cpu", "cuda:0", "mps"

const char* built_for();  // "torch 2.11.0"
// Null where the torch that is loaded is the one that this was built for; else its version.
const char* misfit();

}  // namespace mithril::torch_backend
