// The names of a graph while it is imported.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/onnx/file.hpp"
#include "mithril/onnx/value.hpp"
#include "mithril/onnx/workspace.hpp"

namespace mithril::onnx {

// The names of one graph: that of the file, the body of a call of a function, or a graph in a node,
// which also sees the names of the graph around it.
struct Scope {
  const GraphRecord* graph = nullptr;
  Workspace* workspace = nullptr;  // whose model has the values
  const std::map<std::string, std::int64_t>* opsets = nullptr;
  Scope* around = nullptr;
  std::string prefix = {};   // of names in the body of a call
  bool is_repeated = false;  // whether the nodes may be imported several times
  int depth = 0;             // the number of scopes that import this one
  std::map<std::string, Value> values = {};
  std::map<std::string, const NodeRecord*> makers = {};  // by output
};

// What nodes with graphs need of the import.
class GraphImport {
 public:
  virtual ~GraphImport() = default;

  // Adds the initializers and the nodes of the graph to the scope. ParseError E1308 for a name that
  // two of them make.
  virtual void open(Scope& scope) = 0;
  // Imports the nodes that the value of the name needs, and returns the value. ParseError E1308 for
  // a name that nothing makes, and for a cycle. ValueError E1326 for functions and loops that make
  // too many nodes or ops. A missing value has been noted as a problem.
  virtual Value need(Scope& scope, const std::string& name) = 0;

  // `depth`: of the scope that has the value.
  void note(const std::string& where, const std::string& problem, int depth = 0) {
    problems_.push_back({{where, problem}, depth});
  }
  std::size_t problem_count() const { return problems_.size(); }
  std::vector<Fact> problems() const;
  // Forgets the problems after the first `count` that are deeper than this. Values of the scopes
  // around are imported once, so their problems stay.
  void forget_problems(std::size_t count, int depth);

 protected:
  // Moves the problems after the first `count` up to the scope of the value that needs them.
  void raise_problems(std::size_t count, int depth);

 private:
  struct Problem {
    Fact fact;
    int depth;
  };
  std::vector<Problem> problems_;
};

inline constexpr const char* help_for_graph =
    "export the model again; onnx.checker.check_model tells more about the file";

// Whether the import ends at this error: no other form of the node is tried.
inline bool is_fatal(const Error& error) {
  return error.code() == "E1308" || error.code() == "E1326";
}

}  // namespace mithril::onnx
