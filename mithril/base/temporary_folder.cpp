#include "mithril/base/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string_view>

#include "mithril/base/list_folder.hpp"

namespace mithril {
namespace {

// In seconds. A newer folder may not have its lock file yet.
constexpr std::time_t oldest_unlocked = 10 * 60;

std::string lock_of(const std::string& folder) { return folder + "/lock"; }

bool is_old_and_own(const std::string& folder) {
  struct stat about;
  return ::lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
         about.st_uid == ::geteuid() && about.st_mtime < std::time(nullptr) - oldest_unlocked;
}

bool is_locked(const std::string& folder) {
  const int lock = ::open(lock_of(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (lock < 0) return false;
  const bool locked = ::flock(lock, LOCK_EX | LOCK_NB) != 0;
  ::close(lock);
  return locked;
}

void remove_abandoned(const std::string& temporary, std::string_view prefix) {
  for (const std::string& name : names_in_folder(temporary)) {
    if (!name.starts_with(prefix)) continue;
    const std::string folder = temporary + "/" + name;
    if (is_old_and_own(folder) && !is_locked(folder)) remove_tree(folder.c_str());
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  const char* chosen = std::getenv("TMPDIR");
  const std::string temporary = chosen && chosen[0] == '/' ? chosen : "/tmp";
  remove_abandoned(temporary, prefix);
  path_ = temporary + "/" + std::string(prefix) + "XXXXXX";
  if (!::mkdtemp(path_.data())) return;
  lock_ = ::open(lock_of(path_).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (lock_ < 0) {
    ::rmdir(path_.c_str());
    return;
  }
  ::flock(lock_, LOCK_EX | LOCK_NB);
}

TemporaryFolder::~TemporaryFolder() {
  if (lock_ < 0) return;
  remove_tree(path_.c_str());
  ::close(lock_);
}

}  // namespace mithril
