// The functions that generated JAX modules contain: files of codegen/jax, as text.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace mithril::codegen {

// The names of the snippets that the expression calls.
std::set<std::string> snippets_called(std::string_view expression);

// The imports of a module with these snippets and all that they need, and then their functions.
std::string jax_snippets_text(const std::set<std::string>& names);

// Every name that a local of a generated function must not have: those of the snippets, the
// keywords of Python, and the names that expressions use.
const std::set<std::string>& jax_reserved_names();

}  // namespace mithril::codegen
