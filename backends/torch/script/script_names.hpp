// Names of attributes and arguments in TorchScript.
#pragma once
#include <string>

namespace mithril::torch_backend {

// "1" becomes "_1", "a-b" becomes "a_b", "for" becomes "for_": names that TorchScript's printer and
// parser accept, and that hide no name which the code of a module uses.
std::string script_name(const std::string& name);

}  // namespace mithril::torch_backend
