#include "mithril/base/temporary_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string_view>

namespace mithril {
namespace {

// In seconds. A newer folder may not have its lock file yet.
constexpr std::time_t oldest_unlocked = 10 * 60;

std::string lock_of(const std::string& folder) { return folder + "/lock"; }

// Must not allocate, because destructors call it.
void remove_with_contents(const char* folder) {
  const auto remove_one = [](const char* path, const struct stat*, int, struct FTW*) {
    static_cast<void>(std::remove(path));
    return 0;
  };
  ::nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

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
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(temporary.c_str()), ::closedir);
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    if (!std::string_view(entry->d_name).starts_with(prefix)) continue;
    const std::string folder = temporary + "/" + entry->d_name;
    if (is_old_and_own(folder) && !is_locked(folder)) remove_with_contents(folder.c_str());
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
  remove_with_contents(path_.c_str());
  ::close(lock_);
}

}  // namespace mithril
