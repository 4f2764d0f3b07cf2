#include "codegen/snippets.hpp"

#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "mithril/base/error.hpp"

namespace mithril::codegen {

// Written by CMake: each file of codegen/snippets and mithril/ops/shared by its name.
struct SnippetFile {
  const char *name, *text;
};
extern const SnippetFile snippet_files[];
extern const size_t snippet_file_count;

namespace {

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of('\n'), last = text.find_last_not_of('\n');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// The name of the included header, if the line includes one of `folder`.
std::optional<std::string> included(const std::string& line, std::string_view folder) {
  const std::string start = "#include \"" + std::string(folder);
  if (!line.starts_with(start)) return {};
  return line.substr(start.size(), line.size() - start.size() - 5);
}

// Comments, includes, and then one namespace: as our headers are.
Snippet parse(const SnippetFile& file) {
  constexpr std::string_view standard = "#include <";
  Snippet snippet{.name = file.name};
  std::istringstream lines(file.text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    std::optional<std::string> need = included(line, "codegen/snippets/");
    if (!need) need = included(line, "mithril/ops/shared/");
    if (line.starts_with("}  // namespace mithril")) {
      inside = false;
    } else if (line.starts_with("namespace mithril")) {
      inside = true;
    } else if (inside) {
      snippet.text += line + "\n";
    } else if (need) {
      snippet.needs.push_back(*need);
    } else if (line.starts_with(standard)) {
      snippet.headers.push_back(line.substr(standard.size(), line.size() - standard.size() - 1));
    } else if (line.starts_with("//")) {
      snippet.description += line + "\n";
    }
  }
  snippet.text = trimmed(snippet.text);
  return snippet;
}

const std::map<std::string_view, Snippet>& snippets() {
  static const std::map<std::string_view, Snippet> snippets = [] {
    std::map<std::string_view, Snippet> all;
    for (size_t i = 0; i < snippet_file_count; ++i)
      all.emplace(snippet_files[i].name, parse(snippet_files[i]));
    return all;
  }();
  return snippets;
}

void add_with_needs(const std::string& name, std::set<std::string>& seen,
                    std::vector<const Snippet*>& order) {
  if (!seen.insert(name).second) return;
  const Snippet* snippet = find_snippet(name);
  MITHRIL_CHECK(snippet, "there is no snippet " + name);
  for (const std::string& need : snippet->needs) add_with_needs(need, seen, order);
  order.push_back(snippet);
}

}  // namespace

const Snippet* find_snippet(std::string_view name) {
  const auto at = snippets().find(name);
  return at == snippets().end() ? nullptr : &at->second;
}

std::vector<const Snippet*> with_needs(const std::set<std::string>& names) {
  std::set<std::string> seen;
  std::vector<const Snippet*> order;
  for (const std::string& name : names) add_with_needs(name, seen, order);
  return order;
}

// What begins in the first column is declared in the namespace: functions, types, constants.
std::set<std::string> names_in(const std::vector<const Snippet*>& snippets) {
  static const std::regex declared(
      R"((?:^|\n)(?:struct|using|inline constexpr [A-Za-z_0-9]+) ([A-Za-z_0-9]+)|)"
      R"((?:^|\n)[A-Za-z][^\n(]*?([A-Za-z_0-9]+)\()");
  std::set<std::string> names;
  for (const Snippet* snippet : snippets) {
    const std::string& text = snippet->text;
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at)
      names.insert((*at)[1].matched ? (*at)[1] : (*at)[2]);
  }
  return names;
}

}  // namespace mithril::codegen
