// The kernels that JavaScript modules contain: the modules of codegen/javascript/kernels.
#pragma once
#include "codegen/common/snippet_library.hpp"

namespace mithril::codegen {

// The text of a snippet has no imports and exports.
const SnippetLibrary& javascript_snippets();

// Whether the kernel of an op reads ints of 64 bits that are BigInts: keys of random numbers.
bool takes_wide_ints(std::string_view op);

// These snippets and all that they need.
std::string javascript_snippets_text(const std::set<std::string>& names);

// The parts of a file of kernels: a module with comments, imports of its neighbours and
// definitions.
Snippet read_javascript(std::string_view text);

}  // namespace mithril::codegen
