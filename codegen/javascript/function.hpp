// A program as a function of JavaScript that makes another function: the first one makes the
// tensors, the second one computes.
#pragma once
#include <set>
#include <string>

#include "codegen/common/program.hpp"
#include "codegen/javascript/function_parts.hpp"

namespace mithril::codegen {

struct JavaScriptFunction {
  std::string text;
  std::set<std::string> snippets = {};
};

// function name(memory) {...}
JavaScriptFunction javascript_function(const std::string& name, const SourceProgram& program,
                                       const ProgramMemory& memory, LoopFunctions& loops);

}  // namespace mithril::codegen
