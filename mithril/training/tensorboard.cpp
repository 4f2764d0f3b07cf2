#include "mithril/training/tensorboard.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril {
namespace {

// A file of events is a sequence of TFRecords: length, its checksum, an Event as a protocol buffer,
// its checksum. tensorflow/core/util/event.proto and summary.proto number the fields.

template <typename Unsigned>
std::string little_endian(Unsigned value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// CRC-32C (Castagnoli), rotated and offset as in TFRecord.
std::string checksum(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
  }
  return little_endian(std::rotr(~crc, 15) + 0xA282EAD8);
}

std::string record(const std::string& event) {
  const std::string length = little_endian(std::uint64_t{event.size()});
  return length + checksum(length) + event + checksum(event);
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// The tag of a field: its number and its wire type.
enum WireType : unsigned { integer = 0, eight_bytes = 1, text = 2, four_bytes = 5 };
std::string tag(unsigned field, WireType wire) { return varint(field << 3 | wire); }
std::string text_field(unsigned field, const std::string& bytes) {
  return tag(field, text) + varint(bytes.size()) + bytes;
}

double seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string wall_time() {
  return tag(1, eight_bytes) + little_endian(std::bit_cast<std::uint64_t>(seconds_since_1970()));
}

std::string scalar_event(std::int64_t step, const std::string& name, double number) {
  const auto value = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  const std::string scalar =
      text_field(1, name) + tag(2, four_bytes) + little_endian(value);  // Summary.Value
  return wall_time() + tag(2, integer) + varint(static_cast<std::uint64_t>(step)) +
         text_field(5, text_field(1, scalar));
}

void append(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << bytes << std::flush;
  if (!file) cannot_write(path, std::strerror(errno));
}

std::string unused_path(const std::string& folder, int i) {
  const auto seconds = static_cast<std::int64_t>(seconds_since_1970());
  const std::string name = fmt::format("events.out.tfevents.{}.{:03}.mithril", seconds, i);
  return (std::filesystem::path(folder) / name).string();
}

// The path of a new, empty file. TensorBoard reads the files of a folder in the order of their
// names.
std::string new_file_of_events(const std::string& folder) {
  for (int i = 0;; ++i) {
    const std::string path = unused_path(folder, i);
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file) return path;
    if (errno != EEXIST) cannot_write(path, std::strerror(errno));
  }
}

}  // namespace

TensorBoard::TensorBoard(const std::string& folder) : folder_(folder) {
  if (const std::string why = make_folder(folder); !why.empty())
    cannot_write(unused_path(folder, 0), why);
}

void TensorBoard::add(std::int64_t step, const EpochNumbers& numbers) const {
  if (path_->empty()) {
    *path_ = new_file_of_events(folder_);
    append(*path_, record(wall_time() + text_field(3, "brain.Event:2")));
  }
  std::string records;
  for (const auto& [name, number] : numbers) records += record(scalar_event(step, name, number));
  append(*path_, records);
}

bool TensorBoard::operator()(const History& history) const {
  add(std::ssize(history.epochs), history.epochs.back());
  return false;
}

}  // namespace mithril
