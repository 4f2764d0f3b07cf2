// A program as a function of JavaScript that makes another function: the first one makes the
// tensors, the second one computes.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/common/names.hpp"
#include "codegen/common/program.hpp"

namespace mithril::codegen {

// Where the tensors of a program are: byte offsets in one memory.
struct ProgramMemory {
  std::vector<int64_t> inputs;   // per input of the graph
  std::vector<int64_t> outputs;  // per output of the graph
  int64_t workspace = 0;
};

struct JavaScriptFunction {
  std::string text;
  std::set<std::string> snippets = {};
};

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

// function name(memory) {...}
JavaScriptFunction javascript_function(const std::string& name, const Program& program,
                                       const ProgramMemory& memory, LoopFunctions& loops);

// The names that no function of a module may use for something else.
std::set<std::string> javascript_reserved_names();

}  // namespace mithril::codegen
