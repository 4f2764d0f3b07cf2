#include "mithril/base/cache_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/unfinished.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "mithril cache 1\n";
constexpr std::string_view ending = ".entry";

// Texts of equal length that differ in one word of eight bytes have different hashes: each step is
// a bijection of the hash so far and of the word.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = seed ^ text.size();
  const auto mix = [&](std::uint64_t word) {
    hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15u, 29);
  };
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof(word));
    mix(word);
  }
  std::uint64_t last = 0;
  std::memcpy(&last, text.data(), text.size());
  mix(last);
  return hash;
}

std::string as_bytes(std::uint64_t number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  std::uint64_t number;
  if (bytes.size() < sizeof(number)) return std::nullopt;
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes.remove_prefix(sizeof(number));
  return number;
}

bool is_trusted(const struct stat& file) {
  const bool by_others = (file.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  return S_ISREG(file.st_mode) && file.st_uid == ::geteuid() && !by_others;
}

// Does not block if the name is that of a pipe.
std::optional<std::string> contents(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat about;
  if (!file || ::fstat(file.get(), &about) != 0 || !is_trusted(about)) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size > CacheFiles::most_of_entry) return std::nullopt;
  std::string text(size, '\0');
  for (size_t done = 0; done < text.size();) {
    const ssize_t now = ::read(file.get(), text.data() + done, text.size() - done);
    if (now <= 0) return std::nullopt;
    done += static_cast<size_t>(now);
  }
  ::futimens(file.get(), nullptr);  // it was used now
  return text;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string fingerprint(std::string_view text) {
  return fmt::format("{:016x}{:016x}", hash_of(text, 1), hash_of(text, 2));
}

std::string CacheFiles::usual_folder() {
  if (const std::string own = variable("MITHRIL_CACHE_DIR"); !own.empty()) return own;
  if (const std::string caches = variable("XDG_CACHE_HOME"); caches.starts_with('/')) {
    return caches + "/mithril";
  }
  const std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.cache/mithril" : std::string();
}

std::string CacheFiles::file_of(std::string_view key) const {
  return fmt::format("{}/{}{}", folder_, fingerprint(key), ending);
}

std::optional<std::string> CacheFiles::find(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  std::optional<std::string> text = contents(file_of(key));
  if (!text || !text->starts_with(magic)) return std::nullopt;
  std::string_view left = std::string_view(*text).substr(magic.size());
  const auto checksum = take_number(left);
  if (!checksum || *checksum != hash_of(left, 0)) return std::nullopt;
  const auto length = take_number(left);
  if (!length || *length > left.size() || left.substr(0, *length) != key) return std::nullopt;
  left.remove_prefix(*length);
  return text->substr(text->size() - left.size());
}

void CacheFiles::keep(std::string_view key, std::string_view entry) const {
  if (key.size() + entry.size() + 64 > std::min(most_of_entry, limit_) || !make_folder()) return;
  const std::string body = as_bytes(key.size()) + std::string(key) + std::string(entry);
  const std::string head = std::string(magic) + as_bytes(hash_of(body, 0));
  if (!write_private_file(file_of(key), head + body).empty()) return;
  make_room();
}

// Only its owner looks into a folder that is made here.
bool CacheFiles::make_folder() const {
  if (folder_.empty()) return false;
  std::error_code failed;
  if (fs::is_directory(folder_, failed)) return true;
  fs::create_directories(fs::path(folder_).parent_path(), failed);
  return ::mkdir(folder_.c_str(), S_IRWXU) == 0 || fs::is_directory(folder_, failed);
}

// Names of other kinds are not the cache's, and stay. What a process that ended early has left
// unfinished counts as long as it may be somebody's.
void CacheFiles::make_room() const {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t bytes = 0;
  std::error_code failed;
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator at(folder_, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename();
    std::error_code gone;
    const Entry entry{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    if (name.starts_with(unfinished_prefix) && entry.used < hour_ago) fs::remove(entry.path, gone);
    if (!name.ends_with(ending)) continue;
    bytes += entry.bytes;
    entries.push_back(entry);
  }
  if (bytes <= limit_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (bytes <= limit_ / 4 * 3) return;
    fs::remove(entry.path, failed);
    bytes -= entry.bytes;
  }
}

}  // namespace mithril
