#include "codegen/common/generated_file.hpp"

#include <algorithm>
#include <iterator>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril::codegen {

void refuse_generated(const std::string& path, const std::string& why) {
  if (why.empty()) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1030",
         .message = "the file " + in_quotes(path) + " cannot be written",
         .facts = {{"why", why}}});
}

void write_generated(const std::string& path, std::span<const std::string_view> pieces) {
  refuse_generated(path, write_file(path, pieces));
}

void write_generated(const std::string& path, std::string_view source) {
  const std::string_view pieces[] = {source};
  write_generated(path, pieces);
}

namespace {

// The endings of the files that targets write.
constexpr std::string_view file_endings[] = {".cc", ".cjs", ".cpp", ".cxx", ".js", ".mjs",
                                             ".pt", ".pth", ".py",  ".so",  ".ts", ".wasm"};

}  // namespace

std::string_view file_ending_of(std::string_view path) {
  const auto* const found =
      std::find_if(std::begin(file_endings), std::end(file_endings),
                   [&](std::string_view ending) { return path.ends_with(ending); });
  return found == std::end(file_endings) ? std::string_view() : *found;
}

void write_generated_files(const std::string& folder,
                           const std::vector<std::pair<std::string, std::string>>& files) {
  if (const std::string_view ending = file_ending_of(folder); !ending.empty())
    refuse_generated(folder,
                     "a package is a folder, and '" + std::string(ending) + "' ends a file");
  refuse_generated(folder, make_folder(folder));
  for (const auto& [name, text] : files) write_generated(folder + "/" + name, text);
}

}  // namespace mithril::codegen
