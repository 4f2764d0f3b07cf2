// Names of attributes and arguments in TorchScript.
#pragma once
#include <string>

namespace mithril::torch_backend {

// "1" as "_1", "a-b" as "a_b", "for" as "for_": a name that TorchScript's printer and parser take,
// and that hides none of the names which the code of a module uses.
std::string script_name(const std::string& name);

}  // namespace mithril::torch_backend
