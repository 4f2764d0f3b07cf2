#include "codegen/javascript/function_parts.hpp"

#include "codegen/common/code_line.hpp"

namespace mithril::codegen {

std::string LoopFunctions::add(const std::string& name, const std::string& parameters,
                               const std::string& body) {
  const auto [at, is_new] = known_.try_emplace(parameters + "\n" + body);
  if (!is_new) return at->second;
  at->second = "$" + names_.add(name);  // identifiers made from names of values never begin with $
  text_ += code_line(0, "function " + at->second + "(" + parameters + ") {") + body + "}\n\n";
  return at->second;
}

}  // namespace mithril::codegen
