#include "mithril/base/list_folder.hpp"

#include <dirent.h>
#include <ftw.h>

#include <cstdio>
#include <memory>
#include <string_view>

namespace mithril {

std::vector<std::string> names_in_folder(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(path.c_str()), ::closedir);
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

void remove_tree(const char* path) {
  const auto remove_one = [](const char* inside, const struct stat*, int, struct FTW*) {
    static_cast<void>(std::remove(inside));
    return 0;
  };
  ::nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

}  // namespace mithril
