// Files that are written under another name, beside the ones that they will replace.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/unfinished.hpp"

namespace mithril {

inline std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The destructor removes it unless it has replaced the old file.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& folder, mode_t mode) : file_(create(folder, mode)) {}
  ~UnfinishedFile() {
    if (file_made_) ::unlink(path_.c_str());
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  explicit operator bool() const { return file_made_; }
  const std::string& path() const { return path_; }
  int get() const { return file_.get(); }
  bool close() { return file_.close(); }
  bool take_place_of(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) return false;
    file_made_ = false;
    return true;
  }

 private:
  // The name is unpredictable, and O_EXCL never opens an existing file.
  int create(const std::string& folder, mode_t mode) {
    constexpr int most_tries = 100;
    for (int i = 0; i < most_tries; ++i) {
      path_ = unfinished_path(folder);
      if (path_.empty()) return -1;
      const int made = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      file_made_ = made >= 0;
      if (file_made_) ::flock(made, LOCK_EX | LOCK_NB);  // until this process ends at the latest
      if (file_made_ || errno != EEXIST) return made;
    }
    return -1;
  }

  bool file_made_ = false;
  std::string path_;
  Descriptor file_;
};

// The owner first, because chown may clear permission bits.
inline bool copy_rights(int to, const struct stat& from) {
  const bool same_owner = ::fchown(to, from.st_uid, from.st_gid) == 0;
  if (!same_owner) static_cast<void>(::fchown(to, static_cast<uid_t>(-1), from.st_gid));
  return ::fchmod(to, from.st_mode & 07777) == 0;
}

// Writes the names in the folder to the disk.
inline void sync_folder(const std::string& folder) {
  const Descriptor names(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (names) ::fsync(names.get());
}

}  // namespace mithril
