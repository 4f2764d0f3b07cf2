// Writes files as a whole or not at all.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mithril {

// Writes the bytes to the file at `path`. They go to a new file in the same folder, which replaces
// the old one once it is on the disk and reads as written: after a failure, or if the process is
// killed, the old file is unchanged. The next write to the folder removes the new file of a killed
// process, once it is an hour old. The new file has the permissions of the old one and, if the
// system allows it, its owner. A symbolic link stays, and its target is replaced. Devices, pipes
// and links in /proc/self/fd are written to directly. Returns an empty string, or the system's
// reason for a failure ("No space left on device").
std::string write_file(const std::string& path, std::string_view bytes);
// The same for bytes in several pieces, one after the other.
std::string write_file(const std::string& path, std::span<const std::string_view> pieces);

// The same for cache files, which can be made again: only the user may read them, anything of that
// name is replaced, and the call does not wait for the disk.
std::string write_private_file(const std::string& path, std::string_view bytes);

// Makes the folder at `path` and those that contain it; keeps what exists. Returns an empty string,
// or the system's reason for a failure.
std::string make_folder(const std::string& path);

}  // namespace mithril
