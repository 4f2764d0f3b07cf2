// Imports the nodes on which the outputs of a graph depend. Each op has a rule (op_row.hpp).
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/onnx/op_row.hpp"

namespace mithril::onnx {

// The names of one graph: that of the file, or a branch of `If`, which also sees the names of the
// graph around it.
struct Scope {
  const GraphRecord* graph = nullptr;
  Scope* around = nullptr;
  std::map<std::string, Value> values;
  std::map<std::string, const NodeRecord*> makers;  // by output
};

class Importer {
 public:
  Importer(const FileRecord& file, Workspace& workspace) : file_(file), workspace_(workspace) {}

  // Adds the initializers and the nodes of the graph to the scope. ParseError E1308 for a name that
  // two of them make.
  void open(Scope& scope);
  // Imports the nodes that the value of the name needs, and returns the value. ParseError E1308 for
  // a name that nothing makes, and for a cycle. A missing value has been noted as a problem.
  const Value& need(Scope& scope, const std::string& name);

  void note(const std::string& where, const std::string& problem) {
    problems_.push_back({where, problem});
  }
  const std::vector<Fact>& problems() const { return problems_; }

 private:
  Scope* home(Scope& scope, const std::string& name) const;
  void import(Scope& scope, const NodeRecord& node);
  Outputs outputs_of(Scope& scope, const NodeRecord& node, std::vector<Value> inputs);
  Outputs branch(Scope& scope, const NodeContext& node);
  [[noreturn]] void refuse_name(const std::string& name, const std::string& problem) const;

  const FileRecord& file_;
  Workspace& workspace_;
  std::vector<Fact> problems_;
  std::set<const NodeRecord*> open_;  // being imported, in all scopes
  // The bytes of constants that nodes may still make. Each byte of constants of the file adds some.
  std::int64_t room_ = std::int64_t{1} << 30;
  int branches_ = 0;  // of `If` that are being imported
};

}  // namespace mithril::onnx
