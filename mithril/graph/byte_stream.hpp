// Writes and reads numbers and texts as bytes.
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mithril {

class ByteWriter {
 public:
  void byte(uint8_t byte) { bytes_ += static_cast<char>(byte); }
  // Seven bits a byte, the lowest first.
  void number(uint64_t number) {
    char bytes[10];
    size_t count = 0;
    for (; number >= 0x80; number >>= 7) bytes[count++] = static_cast<char>(number | 0x80);
    bytes[count++] = static_cast<char>(number);
    bytes_.append(bytes, count);
  }
  // Small ones of either sign are short.
  void integer(int64_t number) {
    this->number((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63));
  }
  void real(double real) {
    char bytes[sizeof(real)];
    std::memcpy(bytes, &real, sizeof(real));
    bytes_.append(bytes, sizeof(real));
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void raw(std::string_view bytes) { bytes_ += bytes; }

  size_t size() const { return bytes_.size(); }
  std::string_view from(size_t begin) const { return std::string_view(bytes_).substr(begin); }
  void cut(size_t size) { bytes_.resize(size); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// The bytes are not a written graph.
struct MalformedBytes final : std::runtime_error {
  MalformedBytes() : std::runtime_error("malformed bytes") {}
};

// Throws MalformedBytes rather than reading beyond the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  uint8_t byte() { return static_cast<uint8_t>(raw(1).front()); }
  uint64_t number() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      number |= static_cast<uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) return number;
    }
    throw MalformedBytes();
  }
  int64_t integer() {
    const uint64_t read = number();
    return static_cast<int64_t>(read >> 1) ^ -static_cast<int64_t>(read & 1);
  }
  bool flag() {
    const uint8_t read = byte();
    if (read > 1) throw MalformedBytes();
    return read == 1;
  }
  double real() {
    double real;
    std::memcpy(&real, raw(sizeof(real)).data(), sizeof(real));
    return real;
  }
  // How many of something follow, each of at least one byte.
  size_t count() { return below(number(), left_.size() + 1); }
  size_t index(size_t size) { return below(number(), size); }
  std::string_view text() { return raw(count()); }
  std::string_view raw(size_t size) {
    if (size > left_.size()) throw MalformedBytes();
    const std::string_view read = left_.substr(0, size);
    left_.remove_prefix(size);
    return read;
  }
  bool done() const { return left_.empty(); }

 private:
  static size_t below(uint64_t number, size_t limit) {
    if (number >= limit) throw MalformedBytes();
    return static_cast<size_t>(number);
  }
  std::string_view left_;
};

}  // namespace mithril
