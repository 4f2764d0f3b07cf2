#include "mithril/cli/near_files.hpp"

#include <filesystem>
#include <system_error>

#include "mithril/base/list_folder.hpp"
#include "mithril/base/names.hpp"

namespace mithril::cli {

std::string near_files(const std::string& path) {
  const std::filesystem::path file(path), parent = file.parent_path();
  std::error_code failed;
  if (std::filesystem::exists(file, failed) || failed) return "";
  return did_you_mean(file.filename().string(),
                      names_in_folder(parent.empty() ? "." : parent.string()));
}

}  // namespace mithril::cli
