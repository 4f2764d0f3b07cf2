// Files that the processes of a group write together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mithril/distributed/communicator.hpp"

namespace mithril {

struct FilePiece {
  std::uint64_t at = 0;  // its first byte in the file
  std::string_view bytes;
};

// Writes a file of `size` bytes, of which each process of the group writes its pieces. All of them
// call it, with the same path and size, on a file system that all of them see. They write to a new
// file in the same folder. When every process has written its pieces to the disk and read them
// back, the first one puts the file in the place of the old one. If one of them fails, the old file
// is unchanged, and all of them raise InputError E0831, which names the process.
void write_together(Communicator& group, const std::string& path, std::uint64_t size,
                    std::span<const FilePiece> pieces);

}  // namespace mithril
