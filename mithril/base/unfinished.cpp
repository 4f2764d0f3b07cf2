#include "mithril/base/unfinished.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/list_folder.hpp"

namespace mithril {
namespace {

// In seconds. A file or folder is not locked yet when it is made, and a file is unlocked between
// its end and its renaming.
constexpr std::time_t oldest_unfinished = 60 * 60;

bool is_unfinished_name(std::string_view name) {
  constexpr std::size_t digits = 32;
  return name.size() == unfinished_prefix.size() + digits && name.starts_with(unfinished_prefix) &&
         name.find_first_not_of("0123456789abcdef", unfinished_prefix.size()) == name.npos;
}

bool is_abandoned(const std::string& path, mode_t kind) {
  struct stat about;
  const bool is_old = ::lstat(path.c_str(), &about) == 0 && (about.st_mode & S_IFMT) == kind &&
                      about.st_uid == ::geteuid() &&
                      about.st_mtime < std::time(nullptr) - oldest_unfinished;
  if (!is_old) return false;
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return opened && ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

std::string unfinished_path(const std::string& folder) {
  std::uint64_t name[2];
  if (::getrandom(name, sizeof(name), 0) != sizeof(name)) return "";
  return fmt::format("{}/{}{:016x}{:016x}", folder, unfinished_prefix, name[0], name[1]);
}

void remove_unfinished(const std::string& folder, mode_t kind) {
  for (const std::string& name : names_in_folder(folder)) {
    if (!is_unfinished_name(name)) continue;
    const std::string path = folder + "/" + name;
    if (is_abandoned(path, kind)) remove_tree(path.c_str());
  }
}

}  // namespace mithril
