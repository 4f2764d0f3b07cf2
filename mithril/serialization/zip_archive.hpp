// Reads zip archives, which .npz and .pt files are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mithril {

class MappedFile;

struct ZipEntry {
  std::string name;
  std::uint64_t begin = 0;                    // of its stored bytes, from the start of the file
  std::uint64_t stored_bytes = 0, bytes = 0;  // in the file, and decompressed
  std::uint32_t checksum = 0;                 // CRC-32 of the decompressed bytes
  std::uint16_t method = 0;                   // 0: stored, 8: deflate
};

// The bytes of an entry, which live as long as the owner. They may be written to: the file does not
// change.
struct ZipBytes {
  std::span<std::byte> bytes;
  std::shared_ptr<void> owner;
};

// Why bytes are not a zip archive.
struct ZipFault {
  std::string why;
};

// An archive that is mapped into memory.
class ZipArchive {
 public:
  // Throws a ZipFault if the bytes are not a zip archive. A file that is cut has no directory at
  // its end: its entries are found by their headers, the last one is incomplete.
  explicit ZipArchive(std::shared_ptr<MappedFile> file);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;  // null for an unknown name
  bool is_cut() const { return is_cut_; }
  std::size_t bytes() const { return bytes_.size(); }
  // Stored entries share the mapping: nothing reads their bytes, and nothing compares them with
  // their checksum. Others are decompressed. Throws a ZipFault for another method, and for
  // compressed bytes that do not match their size or checksum.
  ZipBytes read(const ZipEntry& entry) const;

 private:
  void read_directory(std::uint64_t end_record);
  void find_local_headers();
  void index_names();
  std::uint64_t data_begin(std::uint64_t header) const;
  std::uint64_t number(std::uint64_t at, int bytes) const;

  std::shared_ptr<MappedFile> file_;
  std::span<std::byte> bytes_;
  std::vector<ZipEntry> entries_;
  std::map<std::string, std::size_t, std::less<>> index_;  // of entries_, by name
  bool is_cut_ = false;
};

}  // namespace mithril
