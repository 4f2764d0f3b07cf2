#include "mithril/base/new_folder.hpp"

#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/list_folder.hpp"
#include "mithril/base/unfinished.hpp"

namespace mithril {
namespace {

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int sync_if_folder(const char* path, const struct stat*, int kind, struct FTW*) {
  if (kind != FTW_D && kind != FTW_DP) return 0;
  const Descriptor folder(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && ::fsync(folder.get()) == 0 ? 0 : -1;
}

// The path without a slash at its end, and with the target of a link in place of the link.
std::string resolved_target(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

NewFolder::NewFolder(std::string target) {
  if (target.empty() || target.find('\0') != std::string::npos) {
    failure_ = reason_of(target.empty() ? ENOENT : EINVAL);
    return;
  }
  target_ = resolved_target(std::move(target));
  const std::string parent = parent_of(target_);
  remove_unfinished(parent, S_IFDIR);
  std::string path = unfinished_path(parent);
  if (path.empty() || ::mkdir(path.c_str(), 0777) != 0) {
    failure_ = reason_of(errno);
    return;
  }
  path_ = std::move(path);
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
}

NewFolder::~NewFolder() {
  if (!path_.empty()) remove_tree(path_.c_str());
  if (lock_ >= 0) ::close(lock_);
}

std::string NewFolder::take_place() {
  if (::nftw(path_.c_str(), sync_if_folder, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0)
    return reason_of(errno);
  struct stat old;
  const bool replaces = ::stat(target_.c_str(), &old) == 0 && S_ISDIR(old.st_mode);
  if (replaces) static_cast<void>(::chmod(path_.c_str(), old.st_mode & 07777));
  // Replaces nothing, or an empty folder.
  const bool renamed = ::rename(path_.c_str(), target_.c_str()) == 0;
  if (!renamed && errno != ENOTEMPTY && errno != EEXIST) return reason_of(errno);
  if (!renamed &&
      ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
    const bool lacking = errno == EINVAL || errno == ENOSYS || errno == EXDEV;
    return lacking ? "the file system cannot exchange two folders at once" : reason_of(errno);
  }
  if (renamed) path_.clear();  // otherwise it is the old folder
  const Descriptor names(::open(parent_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (names) ::fsync(names.get());
  return "";
}

}  // namespace mithril
