// Memory of mapped files that nobody writes to. The system reads such pages again when they are
// needed, so their memory can be given back at any time.
#pragma once

#include <cstddef>
#include <span>

namespace mithril {

// States that these bytes are pages of a mapped file, and that nobody writes to them while this
// object lives.
class FilePages {
 public:
  explicit FilePages(std::span<const std::byte> bytes);
  ~FilePages();
  FilePages(const FilePages&) = delete;
  FilePages& operator=(const FilePages&) = delete;

 private:
  const std::byte* begin_;
};

// Whether all bytes are stated to be such pages. Thread-safe, as release_file_pages.
bool are_file_pages(const void* begin, std::size_t bytes);

// Gives back the memory of the pages that lie wholly in these bytes. Does nothing if the bytes are
// not stated to be pages of a file.
void release_file_pages(const void* begin, std::size_t bytes);

}  // namespace mithril
