// Folders that appear as a whole or not at all.
#pragma once

#include <string>

namespace mithril {

// A new folder beside `target`, which takes its place once it is complete. Until then, and after a
// failure or a kill at any moment, `target` is as it was. A killed process leaves a folder behind
// whose name begins with unfinished_prefix (base/unfinished.hpp). The next NewFolder beside it
// removes it, once it is an hour old.
class NewFolder {
 public:
  explicit NewFolder(std::string target);
  // Removes the new folder, unless it has taken the place of the old one; then the old one.
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  // Why the folder could not be made; empty: it was.
  const std::string& failure() const { return failure_; }
  const std::string& path() const { return path_; }

  // Writes the names in the new folder to the disk and exchanges the folders. The files must be on
  // the disk already (write_file). An old folder that is not empty needs a file system that can
  // exchange two folders at once. Returns an empty string, or the reason of a failure, after which
  // `target` is as it was.
  std::string take_place();

 private:
  std::string target_, path_, failure_;
  int lock_ = -1;  // the new folder, opened and locked until this process ends at the latest
};

}  // namespace mithril
