#include "mithril/serialization/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace mithril {
namespace {

constexpr std::uint64_t highest_ratio = 1032;  // 258 bytes for 2 bits

// zlib's decoder. Its counts have 32 bits, so that it gets and makes the bytes piece by piece.
class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> data) : data_(data) {
    constexpr int without_header = -MAX_WBITS;
    const int status = inflateInit2(&stream_, without_header);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    is_ready_ = status == Z_OK;
  }
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // The number of bytes that it has made: fewer than there is room for only at the end of the
  // data, or where it is damaged.
  std::size_t make(std::span<std::byte> to) {
    std::size_t made = 0;
    while (is_ready_ && !has_ended_ && made < to.size()) {
      if (stream_.avail_in == 0) give_input();
      const auto room = static_cast<uInt>(std::min(to.size() - made, most));
      stream_.next_out = reinterpret_cast<Bytef*>(to.data() + made);
      stream_.avail_out = room;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      made += room - stream_.avail_out;
      has_ended_ = status == Z_STREAM_END;
      is_ready_ = status == Z_OK || status == Z_STREAM_END;
      if (!is_ready_) inflateEnd(&stream_);
    }
    return made;
  }

  // Whether the data ended where it says.
  bool has_ended() const { return has_ended_; }

 private:
  static constexpr std::size_t most = std::numeric_limits<uInt>::max();

  void give_input() {
    const std::size_t count = std::min(data_.size(), most);
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data_.data()));
    stream_.avail_in = static_cast<uInt>(count);
    data_ = data_.subspan(count);
  }

  std::span<const std::byte> data_;  // that the stream does not have yet
  z_stream stream_ = {};
  bool is_ready_ = false, has_ended_ = false;
};

}  // namespace

std::optional<std::vector<std::byte>> inflated(std::span<const std::byte> data,
                                               std::uint64_t bytes) {
  if (bytes > data.size() * highest_ratio) return std::nullopt;
  constexpr std::uint64_t step = 1U << 20U;
  Inflater inflater(data);
  std::vector<std::byte> made;
  made.reserve(bytes);
  // It grows within its capacity, so that memory for bytes that the data lacks is never touched.
  while (made.size() < bytes) {
    const std::size_t before = made.size();
    made.resize(std::min(bytes, before + step));
    if (inflater.make(std::span(made).subspan(before)) < made.size() - before) return std::nullopt;
  }
  // The end may be behind the last byte.
  std::array<std::byte, 1> more{};
  if (!inflater.has_ended() && inflater.make(more) > 0) return std::nullopt;
  if (!inflater.has_ended()) return std::nullopt;
  return made;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  // zlib's checksum of nothing is its start.
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace mithril
