// The body of a Python function that computes a graph with JAX.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/common/names.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

struct JaxFunctionOptions {
  // Expressions for graph.inputs(), and for graph.constants() unless they are written as literals.
  std::vector<std::string> inputs = {}, constants = {};
  bool convert_inputs = true;  // to the dtypes of the graph
};

struct JaxFunction {
  std::string body;                  // statements, indented by four spaces
  std::vector<std::string> outputs;  // the variables of graph.outputs()
  std::set<std::string> snippets;
};

// BackendError E1033 that lists every node without a spelling, E1034 for a size that follows from
// no input.
JaxFunction jax_function(const Graph& graph, const JaxFunctionOptions& options);

}  // namespace mithril::codegen
