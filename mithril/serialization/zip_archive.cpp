#include "mithril/serialization/zip_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "mithril/base/printable.hpp"
#include "mithril/serialization/inflate.hpp"
#include "mithril/serialization/mapped_file.hpp"

namespace mithril {
namespace {

// Records of the format begin with a signature.
constexpr std::uint64_t local_header = 0x04034b50, directory_header = 0x02014b50,
                        end_record_signature = 0x06054b50, end_record_64 = 0x06064b50,
                        end_locator_64 = 0x07064b50;
constexpr std::uint64_t local_header_bytes = 30, directory_header_bytes = 46, end_record_bytes = 22,
                        end_locator_64_bytes = 20, longest_comment = 0xFFFF;
constexpr std::uint64_t in_zip64_field = 0xFFFFFFFF;
constexpr std::uint16_t stored_method = 0, deflate_method = 8;
constexpr std::uint64_t encrypted_flag = 1, descriptor_flag = 8;

}  // namespace

std::uint64_t ZipArchive::number(std::uint64_t at, int bytes) const {
  if (at > bytes_.size() || bytes_.size() - at < static_cast<std::uint64_t>(bytes)) {
    throw ZipFault{"a record is not inside of the file"};
  }
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at + static_cast<std::uint64_t>(i)]);
  }
  return value;
}

ZipArchive::ZipArchive(std::shared_ptr<MappedFile> file)
    : file_(std::move(file)), bytes_(file_->bytes()) {
  // The record at the end is the last one that its comment does not contradict.
  const std::uint64_t size = bytes_.size();
  std::optional<std::uint64_t> found;
  for (std::uint64_t back = end_record_bytes;
       !found && back <= std::min(size, end_record_bytes + longest_comment); ++back) {
    const std::uint64_t at = size - back;
    if (number(at, 4) == end_record_signature && number(at + 20, 2) == back - end_record_bytes) {
      found = at;
    }
  }
  if (found) {
    read_directory(*found);
    index_names();
    return;
  }
  if (size < 4 || number(0, 4) != local_header) throw ZipFault{"it is not a zip archive"};
  is_cut_ = true;
  find_local_headers();
  index_names();
}

void ZipArchive::read_directory(std::uint64_t end) {
  std::uint64_t count = number(end + 10, 2), at = number(end + 16, 4);
  if (end >= end_locator_64_bytes && number(end - end_locator_64_bytes, 4) == end_locator_64) {
    const std::uint64_t record = number(end - end_locator_64_bytes + 8, 8);
    if (number(record, 4) != end_record_64) throw ZipFault{"its directory is damaged"};
    count = number(record + 32, 8);
    at = number(record + 48, 8);
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> headers;  // where entries begin and end
  for (std::uint64_t i = 0; i < count; ++i) {
    if (number(at, 4) != directory_header) throw ZipFault{"its directory is damaged"};
    ZipEntry entry;
    if (number(at + 8, 2) & encrypted_flag) throw ZipFault{"it is encrypted"};
    entry.method = static_cast<std::uint16_t>(number(at + 10, 2));
    entry.checksum = static_cast<std::uint32_t>(number(at + 16, 4));
    entry.stored_bytes = number(at + 20, 4);
    entry.bytes = number(at + 24, 4);
    std::uint64_t header = number(at + 42, 4);
    const std::uint64_t name_bytes = number(at + 28, 2), extra_bytes = number(at + 30, 2);
    const std::uint64_t extra_end = at + directory_header_bytes + name_bytes + extra_bytes;
    number(extra_end, 0);
    for (std::uint64_t c = 0; c < name_bytes; ++c) {
      entry.name += static_cast<char>(bytes_[at + directory_header_bytes + c]);
    }
    // The field of zip64 has the numbers that do not fit 32 bits, in this order.
    for (std::uint64_t field = extra_end - extra_bytes; extra_end - field >= 4;) {
      const std::uint64_t kind = number(field, 2), length = number(field + 2, 2);
      std::uint64_t next = field + 4;
      for (std::uint64_t* value : {&entry.bytes, &entry.stored_bytes, &header}) {
        if (kind != 1 || *value != in_zip64_field) continue;
        *value = number(next, 8);
        next += 8;
      }
      if (length > extra_end - field - 4) throw ZipFault{"its directory is damaged"};
      field += 4 + length;
    }
    entry.begin = data_begin(header);
    if (entry.begin > bytes_.size() || entry.stored_bytes > bytes_.size() - entry.begin) {
      throw ZipFault{fmt::format("the entry {} is not inside of the file", printable(entry.name))};
    }
    headers.push_back({header, entry.begin + entry.stored_bytes});
    entries_.push_back(std::move(entry));
    at += directory_header_bytes + name_bytes + extra_bytes + number(at + 32, 2);
  }
  // A small file of entries that share bytes would decompress to any size.
  std::sort(headers.begin(), headers.end());
  for (std::size_t i = 1; i < headers.size(); ++i) {
    if (headers[i].first < headers[i - 1].second) throw ZipFault{"its entries overlap"};
  }
}

std::uint64_t ZipArchive::data_begin(std::uint64_t header) const {
  if (number(header, 4) != local_header) throw ZipFault{"its directory is damaged"};
  return header + local_header_bytes + number(header + 26, 2) + number(header + 28, 2);
}

// The size of an entry is often behind its bytes, so that its end is the next header.
void ZipArchive::find_local_headers() {
  const std::uint64_t size = bytes_.size();
  std::uint64_t at = 0;
  while (size - at >= local_header_bytes) {
    const std::uint64_t signature = number(at, 4);
    if (signature == directory_header) return;
    if (signature != local_header) {
      ++at;
      continue;
    }
    const std::uint64_t name_bytes = number(at + 26, 2);
    if (!entries_.empty()) {
      ZipEntry& last = entries_.back();
      last.stored_bytes = last.bytes = at - last.begin;
    }
    ZipEntry entry;
    entry.begin = data_begin(at);
    if (entry.begin > size) return;
    for (std::uint64_t c = 0; c < name_bytes; ++c) {
      entry.name += static_cast<char>(bytes_[at + local_header_bytes + c]);
    }
    entry.method = static_cast<std::uint16_t>(number(at + 8, 2));
    entry.checksum = static_cast<std::uint32_t>(number(at + 14, 4));
    const bool is_sized = !(number(at + 6, 2) & descriptor_flag);
    const std::uint64_t length = number(at + 18, 4);
    at = entry.begin;
    if (is_sized && length != in_zip64_field) at += std::min(length, size - at);
    entry.stored_bytes = entry.bytes = size - entry.begin;
    entries_.push_back(std::move(entry));
  }
}

// The first of equal names counts.
void ZipArchive::index_names() {
  for (std::size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].name, i);
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

ZipBytes ZipArchive::read(const ZipEntry& entry) const {
  const std::span<std::byte> stored = bytes_.subspan(entry.begin, entry.stored_bytes);
  if (entry.method == stored_method) {
    if (entry.bytes != entry.stored_bytes) throw ZipFault{"its directory is damaged"};
    return {stored, file_};
  }
  if (entry.method != deflate_method) {
    throw ZipFault{fmt::format("the entry {} has the compression method {}, which is not deflate",
                               printable(entry.name), entry.method)};
  }
  auto made = inflated(stored, entry.bytes);
  if (!made || crc32_of(*made) != entry.checksum) {
    throw ZipFault{fmt::format("the compressed entry {} is damaged", printable(entry.name))};
  }
  const auto owner = std::make_shared<std::vector<std::byte>>(*std::move(made));
  return {{owner->data(), owner->size()}, owner};
}

}  // namespace mithril
