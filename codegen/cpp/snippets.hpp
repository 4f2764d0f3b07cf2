// The kernels that generated files contain: headers of codegen/cpp/kernels and mithril/ops/shared,
// as text.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mithril::codegen {

struct Snippet {
  std::string_view name;             // "softmax": the name of an op, or of a shared snippet
  std::string description;           // the comment at the head of the file
  std::vector<std::string> headers;  // of the standard library
  std::vector<std::string> needs;    // other snippets
  std::string text;                  // the contents of the namespace
};

const Snippet* find_snippet(std::string_view name);  // null: none

// These snippets and all that they need, in dependency order.
std::vector<const Snippet*> with_needs(const std::set<std::string>& names);

// The names that they declare. No local of a file that contains them may have one.
std::set<std::string> names_in(const std::vector<const Snippet*>& snippets);

}  // namespace mithril::codegen
