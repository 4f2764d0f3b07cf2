// Entries of a cache: files in a folder, each with its key, all of it under a checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mithril {

// A hash of the text, as 32 hexadecimal digits.
std::string fingerprint(std::string_view text);

// No function throws anything except std::bad_alloc: an unusable cache behaves as an empty one. Any
// number of threads and processes may use a folder at the same time.
class CacheFiles {
 public:
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;  // of a folder
  static constexpr std::uint64_t most_of_entry = std::uint64_t{64} << 20;

  // An empty `folder` disables the cache.
  explicit CacheFiles(std::string folder, std::uint64_t limit = most_bytes)
      : folder_(std::move(folder)), limit_(limit) {}

  // $MITHRIL_CACHE_DIR, else mithril in $XDG_CACHE_HOME, else .cache/mithril in $HOME.
  static std::string usual_folder();

  // The entry of the key. Empty unless its file is complete, belongs to the user, and is writable
  // for the user only.
  std::optional<std::string> find(std::string_view key) const;
  // Replaces the entry. Evicts the least recently used entries if the folder exceeds its limit.
  void keep(std::string_view key, std::string_view entry) const;

  std::string file_of(std::string_view key) const;

 private:
  bool make_folder() const;
  void make_room() const;

  const std::string folder_;
  const std::uint64_t limit_;
};

}  // namespace mithril
