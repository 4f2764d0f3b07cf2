// Files in memory, without reading them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mithril/base/file_pages.hpp"

namespace mithril {

// The bytes of a file, mapped privately: a write changes the memory of this process and never the
// file. Pages are read from the disk when they are first used. A file that another process
// truncates while it is mapped ends this process with SIGBUS, so replace files instead
// (base/write_file.hpp does).
class MappedFile {
 public:
  // InputError E0830 if the file cannot be opened, is not a regular file or cannot be mapped.
  static std::shared_ptr<MappedFile> open(const std::string& path);
  // The same for an open file, which `path` names in messages.
  static std::shared_ptr<MappedFile> of(int descriptor, const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<std::byte> bytes() const { return {data_, size_}; }
  // From here on nobody writes to the bytes: their pages are known as FilePages.
  void stay_unwritten();

 private:
  MappedFile(std::byte* data, std::size_t size) : data_(data), size_(size) {}

  std::byte* data_;  // null for an empty file
  std::size_t size_;
  std::optional<FilePages> pages_ = {};
};

}  // namespace mithril
