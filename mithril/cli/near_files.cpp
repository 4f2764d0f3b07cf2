#include "mithril/cli/near_files.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "mithril/base/names.hpp"

namespace mithril::cli {

std::string near_files(const std::string& path) {
  constexpr std::size_t most_compared = 10000;
  const std::filesystem::path file(path), parent = file.parent_path();
  std::error_code failed;
  if (std::filesystem::exists(file, failed) || failed) return "";
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(parent.empty() ? "." : parent, failed), end;
       !failed && at != end && names.size() < most_compared; at.increment(failed))
    names.push_back(at->path().filename().string());
  return did_you_mean(file.filename().string(), names);
}

}  // namespace mithril::cli
