// The kernels that generated files contain: headers of codegen/cpp/kernels and mithril/ops/shared.
#pragma once
#include "codegen/common/snippet_library.hpp"

namespace mithril::codegen {

// The text of a snippet is the contents of the file's namespace; its imports are headers of the
// standard library.
const SnippetLibrary& cpp_snippets();

}  // namespace mithril::codegen
