// The body of a generated function: a statement for each loop and each call of a kernel.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/common/names.hpp"
#include "codegen/common/program.hpp"

namespace mithril::codegen {

// The names that the body uses.
struct FunctionNames {
  std::vector<std::string> inputs;   // per input of the graph: an expression for its pointer
  std::vector<std::string> outputs;  // per output of the graph
  // Per constant that the program or one of its blocks reads: the name of its array.
  std::map<const Tensor*, std::string> constants;
  Identifiers locals;  // contains the names that no local may have
  // Of nested statements: the variables of inputs that are declared before them; empty: not
  // declared. The offset of their memory in the workspace, and the columns before them.
  std::vector<std::string> declared = {};
  int64_t workspace = 0;
  size_t indent = 2;
};

struct FunctionText {
  std::string body;
  std::set<std::string> snippets = {};
  // the pointers of FunctionNames that the body uses; "workspace"
  std::set<std::string> pointers = {};
};

FunctionText function_text(const Program& program, FunctionNames names);

}  // namespace mithril::codegen
