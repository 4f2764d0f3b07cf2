#include "codegen/snippets.hpp"

#include <map>
#include <regex>
#include <sstream>

#include "mithril/base/error.hpp"

namespace mithril::codegen {

// Written by CMake: each file of codegen/snippets by its name.
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

// Comments, includes, and then one namespace: as our headers are.
Snippet parse(const SnippetFile& file) {
  constexpr std::string_view own = "#include \"codegen/snippets/", standard = "#include <";
  Snippet snippet{.name = file.name};
  std::istringstream lines(file.text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("}  // namespace mithril::snippets")) {
      inside = false;
    } else if (line.starts_with("namespace mithril::snippets {")) {
      inside = true;
    } else if (inside) {
      snippet.text += line + "\n";
    } else if (line.starts_with(own)) {
      snippet.needs.push_back(line.substr(own.size(), line.size() - own.size() - 5));
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
  MITHRIL_CHECK(snippet, "there is no codegen/snippets/" + name + ".hpp");
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
