#include "mithril/cli/read_text.hpp"

#include <array>
#include <cerrno>
#include <fstream>

#include "mithril/base/file_errors.hpp"

namespace mithril::cli {
namespace {

// Adds the contents of the file to `text`, and returns why this failed. A folder can be opened, but
// not read.
std::string add_contents(const std::string& path, std::string& text) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 1 << 16> part{};
  while (file.read(part.data(), part.size()) || file.gcount() > 0)
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  return file.is_open() && !file.bad() ? "" : reason_of(errno);
}

}  // namespace

std::string read_text(const std::string& path) {
  std::string text;
  if (const std::string why = add_contents(path, text); !why.empty()) cannot_read(path, why);
  return text;
}

std::string text_if_any(const std::string& path) {
  std::string text;
  return add_contents(path, text).empty() ? text : "";
}

}  // namespace mithril::cli
