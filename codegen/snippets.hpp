// The kernels that generated files contain: headers of codegen/snippets and mithril/ops/shared, as
// text.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mithril::codegen {

struct Snippet {
  std::string_view name;             // "softmax": of the op, or of what several share
  std::string description;           // the comment at the head of the file
  std::vector<std::string> headers;  // of the standard library
  std::vector<std::string> needs;    // other snippets
  std::string text;                  // what stands in the namespace
};

const Snippet* find_snippet(std::string_view name);  // null: none

// These and all that they need, each after what it needs.
std::vector<const Snippet*> with_needs(const std::set<std::string>& names);

// What they declare: no name in a file that holds them may hide one.
std::set<std::string> names_in(const std::vector<const Snippet*>& snippets);

}  // namespace mithril::codegen
