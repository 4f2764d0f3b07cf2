#include "mithril/serialization/write_zip.hpp"

#include <cstdint>

#include "mithril/base/write_file.hpp"
#include "mithril/serialization/inflate.hpp"

namespace mithril {
namespace {

constexpr std::uint64_t entry_alignment = 64, beyond_32_bits = 0xFFFFFFFF;
constexpr std::uint16_t zip64_kind = 1, padding_kind = 0xD935;  // the latter is that of zipalign

void put(std::string& text, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
}

// Writes the fields that both headers of an entry share: from the needed version to the length of
// the name.
void put_common(std::string& text, const ZipInput& entry, std::uint32_t checksum) {
  constexpr std::uint64_t version_of_zip64 = 45, utf8_flag = 1 << 11;
  constexpr std::uint64_t first_day = 1 << 5 | 1;  // 1980-01-01, so that equal entries are equal
  put(text, version_of_zip64, 2);
  put(text, utf8_flag, 2);
  put(text, 0, 2);  // stored
  put(text, 0, 2);  // midnight
  put(text, first_day, 2);
  put(text, checksum, 4);
  put(text, beyond_32_bits, 4);  // both sizes are in the field of zip64
  put(text, beyond_32_bits, 4);
  put(text, entry.name.size(), 2);
}

// Begins the field with the sizes, of which `bytes` follow the length.
void put_zip64_sizes(std::string& text, const ZipInput& entry, std::uint64_t bytes) {
  put(text, zip64_kind, 2);
  put(text, bytes, 2);
  put(text, entry.bytes.size(), 8);
  put(text, entry.bytes.size(), 8);
}

std::string local_header_text(const ZipInput& entry, std::uint32_t checksum, std::uint64_t begin) {
  constexpr std::uint64_t fixed_bytes = 30, zip64_bytes = 20, padding_head = 4;
  std::string text;
  put(text, 0x04034b50, 4);
  put_common(text, entry, checksum);
  const std::uint64_t end = begin + fixed_bytes + entry.name.size() + zip64_bytes + padding_head;
  const std::uint64_t padding = (entry_alignment - end % entry_alignment) % entry_alignment;
  put(text, zip64_bytes + padding_head + padding, 2);
  text += entry.name;
  put_zip64_sizes(text, entry, 16);
  put(text, padding_kind, 2);
  put(text, padding, 2);
  text.append(padding, '\0');
  return text;
}

void put_directory_header(std::string& text, const ZipInput& entry, std::uint32_t checksum,
                          std::uint64_t begin) {
  constexpr std::uint64_t made_by_unix = 3 << 8 | 45, regular_file = std::uint64_t{0100644} << 16;
  put(text, 0x02014b50, 4);
  put(text, made_by_unix, 2);
  put_common(text, entry, checksum);
  put(text, 28, 2);  // bytes of the field of zip64
  put(text, 0, 2);   // bytes of the comment
  put(text, 0, 2);   // the first disk
  put(text, 0, 2);
  put(text, regular_file, 4);
  put(text, beyond_32_bits, 4);
  text += entry.name;
  put_zip64_sizes(text, entry, 24);
  put(text, begin, 8);
}

void put_end(std::string& text, std::uint64_t count, std::uint64_t begin, std::uint64_t bytes) {
  put(text, 0x06064b50, 4);
  put(text, 44, 8);  // bytes of the rest of this record
  put(text, 45, 2);
  put(text, 45, 2);
  put(text, 0, 4);
  put(text, 0, 4);
  put(text, count, 8);
  put(text, count, 8);
  put(text, bytes, 8);
  put(text, begin, 8);
  put(text, 0x07064b50, 4);
  put(text, 0, 4);
  put(text, begin + bytes, 8);
  put(text, 1, 4);
  put(text, 0x06054b50, 4);
  put(text, 0, 2);
  put(text, 0, 2);
  put(text, 0xFFFF, 2);
  put(text, 0xFFFF, 2);
  put(text, beyond_32_bits, 4);
  put(text, beyond_32_bits, 4);
  put(text, 0, 2);
}

}  // namespace

std::string write_zip(const std::string& path, std::span<const ZipInput> entries) {
  std::vector<std::string> headers;
  headers.reserve(entries.size() + 1);  // the pieces point to them
  std::vector<std::string_view> pieces;
  std::string directory;
  std::uint64_t at = 0;
  for (const ZipInput& entry : entries) {
    const std::uint32_t checksum = crc32_of(std::as_bytes(std::span(entry.bytes)));
    put_directory_header(directory, entry, checksum, at);
    headers.push_back(local_header_text(entry, checksum, at));
    pieces.push_back(headers.back());
    pieces.push_back(entry.bytes);
    at += headers.back().size() + entry.bytes.size();
  }
  const std::uint64_t directory_bytes = directory.size();
  put_end(directory, entries.size(), at, directory_bytes);
  pieces.push_back(directory);
  return write_file(path, pieces);
}

}  // namespace mithril
