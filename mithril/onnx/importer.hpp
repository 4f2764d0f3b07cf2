// Imports the nodes on which the outputs of a graph depend. Each op has a rule (op_row.hpp).
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mithril/onnx/fold.hpp"
#include "mithril/onnx/scope.hpp"

namespace mithril::onnx {

class Importer : public GraphImport {
 public:
  explicit Importer(const FileRecord& file) : file_(file) {}

  void open(Scope& scope) override;
  Value need(Scope& scope, const std::string& name) override;

 private:
  class Nesting;

  Scope* home(Scope& scope, const std::string& name) const;
  Value visible(Scope& scope, const std::string& name) const;
  void make(Scope& scope, const std::string& name);
  void import(Scope& scope, const NodeRecord& node);
  void count_repeated(const Scope& scope);
  void count_ops(const Value& made);
  void count_weight(const Value& weight);
  void limit_ops(std::int64_t count) const;
  [[noreturn]] void refuse_repeated(const std::string& what, std::int64_t most) const;
  std::string unsupported(const Scope& scope, const NodeRecord& node) const;
  std::string which_of(const Scope& scope, const NodeRecord& node) const;
  Outputs outputs_of(Scope& scope, const NodeRecord& node);
  void add_room(const Value& constant);
  bool is_first_use(const NodeContext& constant);
  std::optional<Outputs> known_outputs(const OpRow& row, const NodeContext& node);
  Outputs called(Scope& scope, const FunctionRecord& function, const NodeRecord& call,
                 std::vector<Value> inputs);
  [[noreturn]] void refuse_name(const std::string& name, const std::string& problem) const;

  const FileRecord& file_;
  std::set<const NodeRecord*> open_;         // being imported, in all scopes
  std::set<const FunctionRecord*> calling_;  // whose calls are being imported
  // What nodes may compute from constants; each byte of constants of the file adds some.
  FoldRoom room_{24 << 20, 1 << 27};
  FoldRoom weight_room_{24 << 20, 1 << 27};
  int nested_ = 0;                   // graphs and calls that are being imported
  int repeated_ = 0;                 // nodes of calls and of steps
  std::set<const char*> constants_;  // tensors in the file of the constants that gave room
  std::set<std::size_t> counted_;    // hashes of the names of their weights
  std::int64_t weight_ops_ = 0;      // what these weights count as
};

}  // namespace mithril::onnx
