// The kernels of a language, as text that generated source contains.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mithril::codegen {

// A file of kernels. CMake makes a table of them for each language.
struct SnippetFile {
  const char *name, *text;
};

// The parts of such a file.
struct Snippet {
  std::string description = {};         // the comment at the head of the file
  std::set<std::string> imports = {};   // headers or modules that are not snippets
  std::vector<std::string> needs = {};  // other snippets
  std::set<std::string> names = {};     // that it defines
  std::string text = {};                // without the parts above
};

class SnippetLibrary {
 public:
  // `folder` is the folder of the files, for messages. `read` splits a file into its parts.
  SnippetLibrary(std::string folder, std::span<const SnippetFile> files,
                 Snippet (*read)(std::string_view text));

  // Whether there is a snippet for the op: one of its name that defines it.
  bool has_kernel(std::string_view op) const;
  const Snippet& at(std::string_view name) const;
  bool contains(std::string_view name) const { return snippets_.contains(name); }

  // These snippets and all that they need, in dependency order.
  std::vector<const Snippet*> with_needs(const std::set<std::string>& names) const;

  // The names that all snippets define.
  std::set<std::string> defined_names() const;

 private:
  void add_with_needs(const std::string& name, std::set<std::string>& seen,
                      std::vector<const Snippet*>& order) const;

  std::string folder_;
  std::map<std::string, Snippet, std::less<>> snippets_;
};

}  // namespace mithril::codegen
