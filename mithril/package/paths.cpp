#include "mithril/package/paths.hpp"

#include <algorithm>

#include "mithril/base/printable.hpp"
#include "mithril/base/unfinished.hpp"

namespace mithril {
namespace {

constexpr std::size_t longest_component = 255, longest_name = 1024;

bool is_component(std::string_view name) {
  return !name.empty() && name.size() <= longest_component && name != "." && name != ".." &&
         !name.starts_with(unfinished_prefix);
}

}  // namespace

bool is_package_path(std::string_view name) {
  if (name.empty() || name.size() > longest_name || utf8_bytes(name) != name.size()) return false;
  const auto is_bad = [](unsigned char byte) {
    return byte < 0x20 || byte == 0x7F || byte == '\\' || byte == ':';
  };
  if (std::any_of(name.begin(), name.end(), is_bad)) return false;
  while (true) {
    const std::size_t slash = name.find('/');
    if (!is_component(name.substr(0, slash))) return false;
    if (slash == name.npos) return true;
    name.remove_prefix(slash + 1);
  }
}

bool is_native(std::string_view name) {
  return name.starts_with("backends/") && !name.ends_with("/options.json");
}

bool is_tensor_file(std::string_view name) {
  return name.find('/') == name.npos && name.starts_with("model") &&
         (name.ends_with(".safetensors") || name.ends_with(".safetensors.index.json"));
}

void refuse_package(std::string code, const std::string& where, std::string message,
                    std::vector<Fact> facts, std::string help) {
  raise({.kind = ErrorKind::parse,
         .code = std::move(code),
         .path = where,
         .message = std::move(message),
         .facts = std::move(facts),
         .help = std::move(help)});
}

}  // namespace mithril
