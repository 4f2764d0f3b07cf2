#include "mithril/base/write_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/unfinished.hpp"
#include "mithril/base/unfinished_file.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;

using Pieces = std::span<const std::string_view>;

bool write_pieces(int descriptor, Pieces pieces) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](std::string_view piece) { return write_all(descriptor, piece); });
}

// Appends, because the target may be a file: standard output that a shell redirects with >>.
std::string write_directly(const std::string& path, Pieces pieces) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
  if (!file || !write_pieces(file.get(), pieces) || !file.close()) return reason_of(errno);
  return "";
}

// Whether the path is a link in /proc, whose target is an open file rather than a name.
bool is_open_file(const std::string& path) {
  struct statfs about;
  return ::statfs(folder_of(path).c_str(), &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

// Whether reading the file gives the pieces.
bool contains_pieces(int descriptor, Pieces pieces) {
  std::array<char, 64 * 1024> buffer;
  off_t at = 0;
  for (std::string_view piece : pieces) {
    while (!piece.empty()) {
      const ssize_t now =
          ::pread(descriptor, buffer.data(), std::min(buffer.size(), piece.size()), at);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0 || std::memcmp(buffer.data(), piece.data(), static_cast<size_t>(now)) != 0)
        return false;
      piece.remove_prefix(static_cast<size_t>(now));
      at += now;
    }
  }
  struct stat about;
  return ::fstat(descriptor, &about) == 0 && about.st_size == at;
}

// `old`: the file whose permissions are copied; null: those of the umask, or 0600 if private.
std::string replace(const std::string& path, Pieces pieces, const struct stat* old,
                    bool is_private) {
  const std::string folder = folder_of(path);
  if (!is_private)
    remove_unfinished(folder, S_IFREG);  // those of caches are removed with old entries
  UnfinishedFile file(folder, old || is_private ? 0600 : 0666);
  if (!file || (old && !copy_rights(file.get(), *old)) || !write_pieces(file.get(), pieces) ||
      (!is_private && ::fsync(file.get()) != 0)) {
    return reason_of(errno);
  }
  if (!is_private && !contains_pieces(file.get(), pieces))
    return "the file does not contain what was written";
  if (!file.close() || !file.take_place_of(path)) return reason_of(errno);
  if (is_private) return "";
  sync_folder(folder);
  return "";
}

}  // namespace

std::string write_file(const std::string& path, std::string_view bytes) {
  return write_file(path, std::span(&bytes, 1));
}

std::string write_file(const std::string& path, std::span<const std::string_view> pieces) {
  if (path.find('\0') != std::string::npos) return reason_of(EINVAL);
  std::string at = path;
  constexpr int most_links = 40;  // the limit of Linux
  for (int links = 0; links <= most_links; ++links) {
    struct stat about;
    if (::lstat(at.c_str(), &about) != 0) {
      return errno == ENOENT ? replace(at, pieces, nullptr, false) : reason_of(errno);
    }
    if (S_ISREG(about.st_mode)) {
      const bool writable = ::faccessat(AT_FDCWD, at.c_str(), W_OK, AT_EACCESS) == 0;
      return writable ? replace(at, pieces, &about, false) : reason_of(errno);
    }
    if (!S_ISLNK(about.st_mode) || is_open_file(at)) return write_directly(at, pieces);
    std::error_code failed;
    const fs::path target = fs::read_symlink(at, failed);
    if (failed) return failed.message();
    at = (fs::path(at).parent_path() / target).string();
  }
  return reason_of(ELOOP);
}

std::string make_folder(const std::string& path) {
  if (path.find('\0') != std::string::npos) return reason_of(EINVAL);
  std::error_code failed;
  fs::create_directories(path, failed);
  return failed ? failed.message() : "";
}

std::string write_private_file(const std::string& path, std::string_view bytes) {
  return replace(path, std::span(&bytes, 1), nullptr, true);
}

}  // namespace mithril
