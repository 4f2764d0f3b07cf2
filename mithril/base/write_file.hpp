// Files that are written whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace mithril {

// Makes the bytes the contents of the file at `path`. They are written to a new file beside the old
// one, which takes the old one's place once all of it is on the disk: after a failure, or when the
// process is killed, the old file is as it was. A file that is replaced keeps its permissions and,
// where the system allows it, its owner. A symbolic link stays, and the file behind it is replaced.
// Devices, pipes and what /proc/self/fd leads to are written to directly. Returns why it failed, in
// the system's words ("No space left on device"); empty: it did not.
std::string write_file(const std::string& path, std::string_view bytes);

// The same for files that are Mithril's own and can be made again: only the user may read them,
// whatever has the name is replaced, and it does not wait for the disk.
std::string write_private_file(const std::string& path, std::string_view bytes);

// The names of files that are being written begin so. A killed process leaves its own behind.
inline constexpr std::string_view unfinished_prefix = ".mithril-";

}  // namespace mithril
