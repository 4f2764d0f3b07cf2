// The body of a generated function: a statement for each loop and each call of a kernel.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "codegen/common/names.hpp"
#include "codegen/common/program.hpp"

namespace mithril::codegen {

// The names that the body uses.
struct FunctionNames {
  std::vector<std::string> inputs;     // per input of the graph: an expression for its pointer
  std::vector<std::string> outputs;    // per output of the graph
  std::vector<std::string> constants;  // per value of the graph: the array; empty: not a constant
  Identifiers locals;                  // contains the names that no local may have
};

struct FunctionText {
  std::string body;
  std::set<std::string> snippets = {};
  // the pointers of FunctionNames that the body uses; "workspace"
  std::set<std::string> pointers = {};
};

FunctionText function_text(const Program& program, FunctionNames names);

}  // namespace mithril::codegen
