// The kernels that JavaScript modules contain: the files of codegen/javascript as text.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace mithril::codegen {

// Whether there is a file for the op.
bool has_javascript_kernel(std::string_view op);

// Whether the kernel reads ints of 64 bits that are BigInts: keys of random numbers.
bool takes_wide_ints(std::string_view op);

// These snippets and all that they need, in dependency order.
std::string javascript_snippets_text(const std::set<std::string>& names);

// The names that all snippets define. No local of a module may have one.
const std::set<std::string>& javascript_snippet_names();

}  // namespace mithril::codegen
