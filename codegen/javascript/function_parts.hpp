// What the statements of generated functions share: where their tensors are, and their names.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/common/names.hpp"

namespace mithril::codegen {

// Where the tensors of a program are: byte offsets in one memory.
struct ProgramMemory {
  std::vector<int64_t> inputs;   // per input of the graph
  std::vector<int64_t> outputs;  // per output of the graph
  int64_t workspace = 0;
};

// The names that no function of a module may use for something else.
std::set<std::string> javascript_reserved_names();

// Functions of loops, which the functions of several programs share.
class LoopFunctions {
 public:
  explicit LoopFunctions(std::set<std::string> taken) : names_(std::move(taken)) {}

  // The name of the function with these parameters and this body.
  std::string add(const std::string& name, const std::string& parameters, const std::string& body);
  const std::string& text() const { return text_; }

 private:
  Identifiers names_;
  std::map<std::string, std::string> known_;  // the name of each function
  std::string text_;
};

// What the statements of a function and those nested in them share.
struct FunctionParts {
  LoopFunctions& loops;
  Identifiers names = Identifiers(javascript_reserved_names());
  std::string declarations = {};  // of tensors that stay where they are
  std::set<std::string> snippets = {};
};

// A tensor that nested statements read or make: an expression, or an element of it.
struct NestedTensor {
  std::string text;
  std::string step = {};  // the variable of the step, if it is the element of a step
  bool is_variable = false;
};

// Where the nested statements of a block find their tensors.
struct NestedTensors {
  std::vector<NestedTensor> inputs = {}, outputs = {};  // of their graph
};

}  // namespace mithril::codegen
