#include "mithril/base/list_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

#include "mithril/base/descriptor.hpp"

namespace mithril {

std::vector<std::string> names_in_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return {};
  return names_in_open_folder(folder.get()).value_or(std::vector<std::string>{});
}

std::optional<std::vector<std::string>> names_in_open_folder(int descriptor) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);  // which `entries` closes
  std::unique_ptr<DIR, int (*)(DIR*)> entries(copy < 0 ? nullptr : ::fdopendir(copy), ::closedir);
  if (!entries) {
    const int failed = errno;
    if (copy >= 0) ::close(copy);
    errno = failed;
    return std::nullopt;
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (const int failed = errno; failed != 0) {
    entries.reset();
    errno = failed;
    return std::nullopt;
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
