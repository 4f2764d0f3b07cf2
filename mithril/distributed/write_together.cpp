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
#include <vector>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/unfinished.hpp"
#include "mithril/distributed/agree.hpp"
#include "mithril/distributed/errors.hpp"

namespace mithril {
namespace {

// The file that replaces another one. The destructor removes it if it has not.
class SharedFile {
 public:
  SharedFile() = default;
  ~SharedFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  const std::string& path() const { return path_; }

  // Makes it beside the old file, with its permissions. Returns the reason of a failure.
  std::string make(const std::string& old, std::uint64_t size) {
    const std::string folder = folder_of(old);
    remove_unfinished(folder, S_IFREG);
    const std::string path = unfinished_path(folder);
    if (path.empty()) return reason_of(errno);
    struct stat about;
    const bool replaces = ::stat(old.c_str(), &about) == 0;
    const mode_t mode = replaces ? about.st_mode & 0777 : 0666;
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file) return reason_of(errno);
    path_ = path;
    if (replaces && ::fchmod(file.get(), mode) != 0) return reason_of(errno);
    const bool made = ::ftruncate(file.get(), static_cast<off_t>(size)) == 0 && file.close();
    return made ? "" : reason_of(errno);
  }

  std::string take_place_of(const std::string& old) {
    if (::rename(path_.c_str(), old.c_str()) != 0) return reason_of(errno);
    path_.clear();
    const Descriptor names(::open(folder_of(old).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (names) ::fsync(names.get());
    return "";
  }

 private:
  static std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
  }

  std::string path_;  // empty: there is none
};

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
  // A caller may abandon the group because of the error: not before all processes have it.
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
  SharedFile file;
  raise_if_one_failed(group, path, group.rank() == 0 ? file.make(target, size) : "");
  const std::string made = all_gather_text(group, file.path()).front();
  raise_if_one_failed(group, path, write_pieces_at(made, pieces));
  raise_if_one_failed(group, path, group.rank() == 0 ? file.take_place_of(target) : "");
}

}  // namespace mithril
