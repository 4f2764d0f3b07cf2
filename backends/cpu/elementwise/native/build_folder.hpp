// Temporary folders for compilers.
#pragma once

#include <string>

namespace mithril::cpu_backend {

// A folder for one compilation, which only the user can access. The destructor removes it with its
// contents. The constructor removes the folders of killed processes.
class BuildFolder {
 public:
  BuildFolder();
  ~BuildFolder();
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  explicit operator bool() const { return lock_ >= 0; }  // false: it could not be created
  const std::string& path() const { return path_; }
  std::string source() const { return path_ + "/loops.cpp"; }
  std::string library() const { return path_ + "/loops.so"; }
  std::string log() const { return path_ + "/log"; }

 private:
  std::string path_;
  int lock_ = -1;  // a locked file in the folder; the system unlocks it when the process ends
};

}  // namespace mithril::cpu_backend
