// The kernels that modules for WebGPU contain: the modules of codegen/webgpu/kernels. A kernel is a
// function of JavaScript that writes a shader for tensors of given sizes.
#pragma once
#include "codegen/common/snippet_library.hpp"

namespace mithril::codegen {

const SnippetLibrary& webgpu_snippets();

// These snippets and all that they need, without imports and exports.
std::string webgpu_snippets_text(const std::set<std::string>& names);

}  // namespace mithril::codegen
