// Temporary folders.
#pragma once

#include <string>
#include <string_view>

namespace mithril {

// A folder that only the user can access, in $TMPDIR or /tmp. The destructor removes it with its
// contents. The constructor removes the folders of killed processes.
class TemporaryFolder {
 public:
  // The name of the folder is the prefix and some letters. No other program may use the prefix.
  explicit TemporaryFolder(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  explicit operator bool() const { return lock_ >= 0; }  // false: it could not be created
  const std::string& path() const { return path_; }
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
  int lock_ = -1;  // a locked file in the folder; the system unlocks it when the process ends
};

}  // namespace mithril
