// A file in memory, for readers that need a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/require.hpp"

namespace mithril::fuzz {

class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : file_(memfd_create("input", 0)) {
    while (size > 0) {
      const ssize_t written = write(file_, data, size);
      require(written > 0, "the file is written");
      data += written;
      size -= static_cast<size_t>(written);
    }
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace mithril::fuzz
