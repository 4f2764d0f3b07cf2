// Branches as calls of jax.lax.cond, loops that a condition ends as calls of jax.lax.while_loop.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

// A graph of a node as a Python function.
struct JaxNested {
  std::string name;                       // of the function
  std::string body = {};                  // its statements
  std::vector<std::string> outputs = {};  // expressions
};

// The variables of a node with two graphs.
struct JaxPair {
  JaxNested first, second;  // then and otherwise; the condition and the body of a loop
  std::vector<std::string> arguments = {}, results = {};
};

// The inputs of the graphs of a node, as expressions in their functions. `carries`: the first ones
// are carries of a loop.
std::vector<std::string> inputs_of_branch(size_t count);
std::vector<std::string> inputs_of_while(size_t count, size_t carries);

// The functions and the call, as statements that are indented by four spaces. `like`: the first
// graph whose outputs are the results.
std::string jax_cond_text(const JaxPair& pair, const std::string& condition, const Graph& like);
std::string jax_while_text(const JaxPair& pair, const Graph& body);

}  // namespace mithril::codegen
