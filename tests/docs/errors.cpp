// docs/errors.md has a line for each code in the source, and each code a test of its text.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file, "cannot read " << path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> sources_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string kind = entry.path().extension().string();
    if (kind == ".cpp" || kind == ".hpp" || kind == ".py" || kind == ".js")
      found.push_back(entry.path());
  }
  return found;
}

bool is_code(const std::string& text) {
  return text.size() == 5 && text[0] == 'E' && (text[1] == '0' || text[1] == '1') &&
         text.find_first_not_of("0123456789", 1) == std::string::npos;
}

std::set<std::string> codes_in_source() {
  std::set<std::string> codes;
  for (const char* folder :
       {"mithril", "backends", "codegen", "python/src", "python/mithril", "examples/models"}) {
    for (const fs::path& path : sources_in(folder)) {
      const std::string text = contents_of(path);
      for (std::size_t at = 0; (at = text.find("\"E", at)) != std::string::npos; ++at) {
        const std::string code = text.substr(at + 1, 5);
        if (is_code(code) && text[at + 6] == '"') codes.insert(code);
      }
    }
  }
  return codes;
}

// The text with the pieces of each literal joined: without quotes that only spaces and the end of a
// line separate.
std::string joined(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t next =
        text[at] == '"' ? text.find_first_not_of(" \t\r\n", at + 1) : std::string::npos;
    if (next != std::string::npos && text[next] == '"' &&
        std::find(&text[at], &text[next], '\n') != &text[next]) {
      at = next;
    } else {
      made += text[at];
    }
  }
  return made;
}

// The text with each quote as it is meant.
std::string without_escapes(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size() || text[at + 1] != '"') made += text[at];
  }
  return made;
}

// The text of the tests, with the pieces of each literal joined and its quotes as they are meant.
std::string texts_in_tests() {
  std::string all;
  for (const char* folder : {"tests", "python/tests"}) {
    for (const fs::path& path : sources_in(folder)) {
      if (path.filename() == "errors.cpp" && path.parent_path().filename() == "docs") continue;
      const std::string text = contents_of(path);
      if (text.find("Error[E") == std::string::npos) continue;
      all += without_escapes(joined(text));
    }
  }
  return all;
}

struct Row {
  std::string kind, meaning, example;
};

std::map<std::string, Row> rows() {
  std::map<std::string, Row> found;
  std::string last;
  std::istringstream lines(contents_of("docs/errors.md"));
  const std::regex row("\\| (E[0-9]{4}) \\| (\\w+) \\| ([^|]+) \\| `(.*)` \\|"), bar("\\\\\\|");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!line.starts_with("| E")) continue;
    CAPTURE(line);
    REQUIRE(std::regex_match(line, match, row));
    CHECK_MESSAGE(last < match[1].str(), "the codes stand in order, each once");
    last = match[1];
    found[last] = {match[2], match[3], std::regex_replace(match[4].str(), bar, "|")};
  }
  return found;
}

}  // namespace

TEST_CASE("each error has a row in docs/errors.md and a test of its example") {
  const auto documented = rows();
  const std::string tested = texts_in_tests();
  for (const std::string& code : codes_in_source()) {
    CAPTURE(code);
    const auto row = documented.find(code);
    CHECK_MESSAGE(row != documented.end(), "docs/errors.md has no line for this code");
    if (row == documented.end()) continue;
    const std::string text =
        "mithril." + row->second.kind + "[" + code + "]: " + row->second.example;
    CHECK_MESSAGE(tested.find("\"" + text) != std::string::npos, "no test expects: " << text);
  }
}

TEST_CASE("docs/errors.md has no row for an unused code") {
  const auto raised = codes_in_source();
  for (const auto& [code, row] : rows()) {
    const std::string documented = code;
    CAPTURE(documented);
    CHECK(raised.contains(code));
  }
}
