// How a record spells its op for JAX: an expression of Python,
//   "robust ? robust_log({input}, {threshold}) : jnp.log({input})"
// {port} is an array or a value, {port.shape}, {port.dtype} and {port.ndim} are its members; of a
// list port a list. An output has a shape and a dtype. A condition asks for the truth of a value,
// or `port == None`. Functions without a module are those of codegen/jax.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

struct JaxHole {
  std::string_view port, member;  // member: "", "shape", "dtype", "ndim"
  std::string_view rest;          // the text after the hole
};

struct JaxSpellingNode {
  std::function<bool(std::string_view port)> is_none, is_true;
  std::function<std::string(const JaxHole&)> hole;
};

// The expression for a node. InternalError if the text is not a spelling.
std::string spelled_for_jax(std::string_view text, const JaxSpellingNode& node);

// Each op with a node and the paths of its nodes that has no spelling for JAX.
std::vector<std::pair<std::string, std::string>> nodes_without_jax(const Graph& graph);
void refuse_unspelled(const Graph& graph);  // BackendError E1033 if there are any

}  // namespace mithril::codegen
