#include "mithril/distributed/write_together.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/unfinished.hpp"
#include "mithril/base/unfinished_file.hpp"
#include "mithril/distributed/agree.hpp"
#include "mithril/distributed/errors.hpp"

namespace mithril {
namespace {

// Makes the file beside the old one, with its permissions. Returns the reason of a failure.
std::string make_unfinished(std::optional<UnfinishedFile>& file, const std::string& old,
                            std::uint64_t size) {
  struct stat about;
  const bool replaces = ::stat(old.c_str(), &about) == 0;
  if (replaces && !S_ISREG(about.st_mode)) return "it is not a regular file";
  if (replaces && ::faccessat(AT_FDCWD, old.c_str(), W_OK, AT_EACCESS) != 0)
    return reason_of(errno);
  remove_unfinished(folder_of(old), S_IFREG);
  file.emplace(folder_of(old), replaces ? 0600 : 0666);
  const bool made = *file && (!replaces || copy_rights(file->get(), about)) &&
                    ::ftruncate(file->get(), static_cast<off_t>(size)) == 0 && file->close();
  return made ? "" : reason_of(errno);
}

std::string replace_by(UnfinishedFile& file, const std::string& old) {
  if (!file.take_place_of(old)) return reason_of(errno);
  sync_folder(folder_of(old));
  return "";
}

bool write_at(int descriptor, FilePiece piece) {
  while (!piece.bytes.empty()) {
    const ssize_t now =
        ::pwrite(descriptor, piece.bytes.data(), piece.bytes.size(), static_cast<off_t>(piece.at));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    piece.bytes.remove_prefix(static_cast<std::size_t>(now));
    piece.at += static_cast<std::uint64_t>(now);
  }
  return true;
}

bool reads_as(int descriptor, FilePiece piece) {
  std::array<char, std::size_t{64} * 1024> buffer;
  while (!piece.bytes.empty()) {
    const std::size_t most = std::min(buffer.size(), piece.bytes.size());
    const ssize_t now = ::pread(descriptor, buffer.data(), most, static_cast<off_t>(piece.at));
    if (now < 0 && errno == EINTR) continue;
    const bool same = now > 0 && std::memcmp(buffer.data(), piece.bytes.data(),
                                             static_cast<std::size_t>(now)) == 0;
    if (!same) return false;
    piece.bytes.remove_prefix(static_cast<std::size_t>(now));
    piece.at += static_cast<std::uint64_t>(now);
  }
  return true;
}

// Returns the reason of a failure. The file is not opened for reading, too, because a client of NFS
// would then write whole pages, with bytes of other processes in them.
std::string write_pieces_at(const std::string& path, std::span<const FilePiece> pieces) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const bool written =
      file && std::all_of(pieces.begin(), pieces.end(),
                          [&](const FilePiece& each) { return write_at(file.get(), each); });
  if (!written || ::fsync(file.get()) != 0 || !file.close()) return reason_of(errno);
  const Descriptor reading(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!reading) return reason_of(errno);
  const bool same = std::all_of(pieces.begin(), pieces.end(), [&](const FilePiece& each) {
    return reads_as(reading.get(), each);
  });
  return same ? "" : "the file does not contain what was written";
}

// The target of a link is replaced, and the link stays.
std::string target_of(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> target(::realpath(path.c_str(), nullptr),
                                                           &std::free);
  return target ? target.get() : path;
}

// Raises InputError E0831 on all processes if one of them passes a failure, with the first one.
void raise_if_one_failed(Communicator& group, const std::string& path, const std::string& failure) {
  const std::vector<std::string> failures = all_gather_text(group, failure);
  const auto first = std::find_if(failures.begin(), failures.end(),
                                  [](const std::string& each) { return !each.empty(); });
  if (first == failures.end()) return;
  // A caller may abandon the group because of this error. All processes have to know it before.
  try {
    group.barrier();
  } catch (const DistributedError&) {
    // The failure to write comes first.
  }
  const auto rank = static_cast<int>(first - failures.begin());
  cannot_write(path, fmt::format("{}: {}", process_of(rank, group.size()), *first));
}

}  // namespace

void write_together(Communicator& group, const std::string& path, std::uint64_t size,
                    std::span<const FilePiece> pieces) {
  const std::string target = target_of(path);
  std::optional<UnfinishedFile> file;  // of the first process
  raise_if_one_failed(group, path, group.rank() == 0 ? make_unfinished(file, target, size) : "");
  const std::string made = all_gather_text(group, file ? file->path() : "").front();
  raise_if_one_failed(group, path, write_pieces_at(made, pieces));
  raise_if_one_failed(group, path, file ? replace_by(*file, target) : "");
}

}  // namespace mithril
