#include "mithril/viewer/page.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/sha256.hpp"
#include "mithril/viewer/page_files.hpp"

namespace mithril {
namespace {

// Each after those that it imports.
constexpr std::initializer_list<const char*> modules = {
    "format.js",  "groups.js", "graph.js",      "compare.js", "level.js",    "layout.js",
    "scene.js",   "canvas.js", "svg.js",        "search.js",  "address.js",  "histogram.js",
    "details.js", "tree.js",   "search_box.js", "theme.js",   "controls.js", "heat.js",
    "pane.js",    "page.js",   "main.js"};

std::string_view page_file(std::string_view name) {
  for (std::size_t i = 0; i < page_file_count; ++i) {
    if (page_files[i].name == name) return page_files[i].text;
  }
  check_failed("is a file of the page", name, __FILE__, __LINE__);
}

// A module without its imports, and with names that it exports: the modules become one script.
void append_module(std::string& script, std::string_view text) {
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    if (text.starts_with("import ")) {
      end = text.find(";\n") + 1;
    } else {
      std::string_view line = text.substr(0, end);
      if (line.starts_with("export ")) line.remove_prefix(7);
      script += line;
      script += '\n';
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

std::string base64_of(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? bytes[i + k] : 0);
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k > bytes.size() ? '=' : digits[word >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

// What a content security policy allows: the script with this checksum.
std::string source_of(std::string_view script) {
  const std::string hex = sha256_of(std::as_bytes(std::span(script)));
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
  return "'sha256-" + base64_of(bytes) + "'";
}

std::string escaped_title(std::string_view title) {
  std::string text;
  for (const char c : printable(title))
    text += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return text;
}

// The template with each "{{name}}" replaced.
std::string filled(std::string_view page,
                   const std::map<std::string, std::string, std::less<>>& texts) {
  std::string result;
  for (std::size_t at; (at = page.find("{{")) != page.npos;) {
    const std::size_t end = page.find("}}", at);
    result += page.substr(0, at);
    result += texts.find(page.substr(at + 2, end - at - 2))->second;
    page.remove_prefix(end + 2);
  }
  return result += page;
}

}  // namespace

std::string page_with(std::string_view title, std::string_view json) {
  std::string layout = "\"use strict\";\n", script = "\n";
  append_module(layout, page_file("dagre.js"));
  append_module(layout, page_file("worker.js"));
  for (const char* name : modules) append_module(script, page_file(name));
  return filled(page_file("page.html"), {{"policy", source_of(layout) + " " + source_of(script)},
                                         {"title", escaped_title(title)},
                                         {"style", std::string(page_file("page.css"))},
                                         {"layout", layout},
                                         {"data", std::string(json)},
                                         {"script", script}});
}

}  // namespace mithril
