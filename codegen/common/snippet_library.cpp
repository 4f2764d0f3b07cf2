#include "codegen/common/snippet_library.hpp"

#include <utility>

#include "mithril/base/error.hpp"

namespace mithril::codegen {

SnippetLibrary::SnippetLibrary(std::string folder, std::span<const SnippetFile> files,
                               Snippet (*read)(std::string_view text))
    : folder_(std::move(folder)) {
  for (const SnippetFile& file : files) snippets_.emplace(file.name, read(file.text));
}

bool SnippetLibrary::has_kernel(std::string_view op) const {
  const auto found = snippets_.find(op);
  return found != snippets_.end() && found->second.names.contains(std::string(op));
}

const Snippet& SnippetLibrary::at(std::string_view name) const {
  const auto found = snippets_.find(name);
  MITHRIL_CHECK(found != snippets_.end(), "there is no file " + folder_ + "/" + std::string(name));
  return found->second;
}

std::vector<const Snippet*> SnippetLibrary::with_needs(const std::set<std::string>& names) const {
  std::set<std::string> seen;
  std::vector<const Snippet*> order;
  for (const std::string& name : names) add_with_needs(name, seen, order);
  return order;
}

void SnippetLibrary::add_with_needs(const std::string& name, std::set<std::string>& seen,
                                    std::vector<const Snippet*>& order) const {
  if (!seen.insert(name).second) return;
  const Snippet& snippet = at(name);
  for (const std::string& need : snippet.needs) add_with_needs(need, seen, order);
  order.push_back(&snippet);
}

std::set<std::string> SnippetLibrary::defined_names() const {
  std::set<std::string> names;
  for (const auto& [name, snippet] : snippets_)
    names.insert(snippet.names.begin(), snippet.names.end());
  return names;
}

}  // namespace mithril::codegen
