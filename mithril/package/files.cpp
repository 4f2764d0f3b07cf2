#include "mithril/package/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/file_pages.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/base/list_folder.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/sha256.hpp"
#include "mithril/package/paths.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/zip_archive.hpp"

namespace mithril {
namespace {

constexpr int deepest_folder = 16;

[[noreturn]] void no_package(const std::string& path, const std::string& why) {
  raise({.kind = ErrorKind::input,
         .code = "E0860",
         .path = path,
         .message = "this is not a package",
         .facts = {{"why", why, ""}}});
}

}  // namespace

PackageFiles PackageFiles::open(const std::string& path) {
  PackageFiles files;
  files.path_ = path;
  while (files.path_.size() > 1 && files.path_.ends_with('/')) files.path_.pop_back();
  if (path.find('\0') != std::string::npos) cannot_read(path, reason_of(EINVAL));
  struct stat about;
  if (::stat(path.c_str(), &about) != 0) cannot_read(files.path_, reason_of(errno));
  if (S_ISDIR(about.st_mode)) {
    while (!files.has_read_folder()) check_interrupt();
  } else {
    files.is_folder_ = false;
    files.add_archive();
  }
  if (!files.find(metadata_name)) no_package(files.path_, "it has no file metadata.json");
  return files;
}

// False if another package took its place meanwhile: then the files of the old one are deleted.
bool PackageFiles::has_read_folder() {
  const Descriptor folder(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) cannot_read(path_, reason_of(errno));
  const auto is_replaced = [&] {
    struct stat opened, now;
    return ::fstat(folder.get(), &opened) == 0 && ::stat(path_.c_str(), &now) == 0 &&
           (opened.st_ino != now.st_ino || opened.st_dev != now.st_dev);
  };
  files_.clear();
  try {
    add_folder(folder, "", 0);
  } catch (const Error&) {
    if (!is_replaced()) throw;
    return false;
  }
  return !is_replaced();
}

// Opens every component by its name in its folder, and follows no links. So no change of the folder
// during the call can lead out of it.
void PackageFiles::add_folder(const Descriptor& folder, const std::string& prefix, int depth) {
  const auto names = folder ? names_in_open_folder(folder.get()) : std::nullopt;
  if (!names) cannot_read(path_ + (prefix.empty() ? "" : "/" + prefix), reason_of(errno));
  for (const std::string& name : *names) {
    const std::string full = prefix + name;
    struct stat about;
    if (::fstatat(folder.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0)
      cannot_read(where(full), reason_of(errno));
    if (!is_package_path(full) || depth > deepest_folder) {
      refuse_package("E0761", path_,
                     fmt::format("'{}' is not a path inside of the package", printable(full)));
    }
    if (!S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode)) {
      refuse_package("E0762", where(full), "a package has only files and folders",
                     {{"got", S_ISLNK(about.st_mode) ? "a link" : "a device or a pipe", ""}},
                     "copy what the link names");
    }
    constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    if (S_ISDIR(about.st_mode)) {
      const Descriptor inner(::openat(folder.get(), name.c_str(), flags | O_DIRECTORY));
      add_folder(inner, full + "/", depth + 1);
      continue;
    }
    const Descriptor file(::openat(folder.get(), name.c_str(), flags));
    if (!file) cannot_read(where(full), reason_of(errno));
    const auto mapped = MappedFile::of(file.get(), where(full));
    mapped->stay_unwritten();
    files_[full] = {mapped->bytes(), mapped};
  }
}

void PackageFiles::add_archive() try {
  const auto mapped = MappedFile::open(path_);
  mapped->stay_unwritten();
  const ZipArchive archive(mapped);
  if (archive.is_cut()) throw ZipFault{"it is cut"};
  for (const ZipEntry& entry : archive.entries()) {
    if (entry.name.ends_with('/') && entry.bytes == 0) continue;  // a folder
    if (!is_package_path(entry.name)) {
      refuse_package(
          "E0761", path_,
          fmt::format("'{}' is not a path inside of the package", printable(entry.name)));
    }
    if (entry.method != 0)
      throw ZipFault{fmt::format("the entry {} is compressed", printable(entry.name))};
    const ZipBytes stored = archive.read(entry);
    if (!files_.emplace(entry.name, StoredBytes{stored.bytes, stored.owner}).second)
      throw ZipFault{fmt::format("the entry {} is there twice", printable(entry.name))};
  }
} catch (const ZipFault& fault) {
  refuse_package("E0767", path_, "the file is not a .zip file of a package",
                 {{"why", fault.why, ""}},
                 "`mithril package extract` and `zip -0` write entries without compression");
}

const StoredBytes* PackageFiles::find(std::string_view name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? nullptr : &found->second;
}

void PackageFiles::check_listed(const std::vector<PackageFile>& listed) const {
  for (const PackageFile& file : listed) {
    const StoredBytes* stored = find(file.name);
    if (!stored) {
      refuse_package("E0764", where(file.name), "the file is missing",
                     {{"listed", "in metadata.json", ""}});
    }
    if (stored->bytes.size() != file.bytes) {
      refuse_package("E0765", where(file.name), "the file has another size than metadata.json says",
                     {{"expected", fmt::format("{} bytes", file.bytes), ""},
                      {"got", fmt::format("{} bytes", stored->bytes.size()), ""}});
    }
  }
  for (const auto& [name, stored] : files_) {
    const auto at = std::lower_bound(
        listed.begin(), listed.end(), name,
        [](const PackageFile& file, const std::string& wanted) { return file.name < wanted; });
    const bool is_listed = at != listed.end() && at->name == name;
    if (is_listed || name == metadata_name) continue;
    refuse_package("E0763", where(name), "metadata.json does not list the file");
  }
}

void PackageFiles::check_sum(const PackageFile& file) const {
  check_sum(file, find(file.name)->bytes);
}

std::string PackageFiles::verified_copy(const PackageFile& file) const {
  std::string copy(find(file.name)->text());
  check_sum(file, std::as_bytes(std::span(copy)));
  return copy;
}

void PackageFiles::check_sum(const PackageFile& file, std::span<const std::byte> bytes) const {
  // Piece by piece, so that a large file takes little memory.
  constexpr std::size_t most = 1U << 24U;
  Sha256 hash;
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    check_interrupt();
    const auto piece = bytes.subspan(at, std::min(most, bytes.size() - at));
    hash.add(piece);
    release_file_pages(piece.data(), piece.size());
  }
  const std::string got = hash.hex_digest();
  if (got == file.sha256) return;
  refuse_package("E0766", where(file.name), "the file has another checksum than metadata.json says",
                 {{"expected", file.sha256, ""}, {"got", got, ""}},
                 "get the package again: the file is damaged, or somebody has changed it");
}

}  // namespace mithril
