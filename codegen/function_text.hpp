// The body of a generated function: a statement for each loop and each call of a kernel.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "codegen/names.hpp"
#include "codegen/program.hpp"

namespace mithril::codegen {

// What the body takes for granted.
struct FunctionNames {
  std::vector<std::string> inputs;     // expressions for the pointers, per input of the graph
  std::vector<std::string> outputs;    // per output of the graph
  std::vector<std::string> constants;  // of arrays, per value of the graph; empty: no constant
  Identifiers locals;                  // what no local may be called is taken
};

struct FunctionText {
  std::string body;
  std::set<std::string> snippets = {};
  std::set<std::string> pointers = {};  // that were named, of FunctionNames; "workspace"
};

FunctionText function_text(const Program& program, FunctionNames names);

// A line of code with this many spaces before it, broken at spaces where it is longer than 100
// columns.
std::string code_line(size_t indent, std::string text);

// "[N=4, 3]": the sizes, with the names that the model gives them.
std::string dims_comment(const Value& value, const Dims& dims);

}  // namespace mithril::codegen
