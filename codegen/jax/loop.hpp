// Loops as calls of jax.lax.scan.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/scan_node.hpp"

namespace mithril::codegen {

// The variables of a loop.
struct JaxLoop {
  std::string name;  // of the function of one step
  std::vector<std::string> arguments = {}, results = {};
  std::string length = "None";  // without sequences; they say it themselves
  bool reverse = false;
};

// The inputs of the body, as expressions in the function of a step.
std::vector<std::string> inputs_of_step(const ScanLoop& scan);
// The function of a step and its call, as statements that are indented by four spaces. `body`: the
// statements of a step, which compute `outputs`.
std::string jax_loop_text(const ScanLoop& scan, const JaxLoop& loop, const std::string& body,
                          const std::vector<std::string>& outputs);
// The lines, each indented by four more spaces.
std::string indented_text(const std::string& lines);

}  // namespace mithril::codegen
