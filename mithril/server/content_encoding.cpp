#include "mithril/server/content_encoding.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

#include "mithril/server/http_errors.hpp"

namespace mithril {
namespace {

// The decompressor of zlib, for its own format and that of gzip.
class Inflater {
 public:
  explicit Inflater(std::string_view data) : data_(data) {
    constexpr int gzip_or_zlib = 15 + 32;
    if (inflateInit2(&stream_, gzip_or_zlib) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // The next bytes; none at the end. E1238.
  std::string_view next() {
    if (is_at_end_) return {};
    if (stream_.avail_in == 0) give_input();
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    is_at_end_ = result == Z_STREAM_END;
    const std::size_t count = buffer_.size() - stream_.avail_out;
    const bool has_rest = stream_.avail_in > 0 || !data_.empty();
    const bool has_ended_early = result != Z_OK || (count == 0 && !has_rest);
    if (is_at_end_ ? has_rest : has_ended_early)
      throw invalid_request("the compressed body is not valid");
    return {buffer_.data(), count};
  }

 private:
  // zlib counts in 32 bits.
  void give_input() {
    const std::size_t count = std::min<std::size_t>(data_.size(), std::numeric_limits<uInt>::max());
    // zlib does not write to its input, although the type says so.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data_.data()));
    stream_.avail_in = static_cast<uInt>(count);
    data_.remove_prefix(count);
  }

  std::string_view data_;  // that the stream does not have yet
  z_stream stream_{};
  std::array<char, 64 << 10> buffer_;
  bool is_at_end_ = false;
};

}  // namespace

bool is_known_encoding(std::string_view encoding) {
  return encoding.empty() || encoding == "identity" || encoding == "gzip" || encoding == "x-gzip" ||
         encoding == "deflate";
}

std::string decoded_body(std::string_view encoding, std::string body, std::size_t most,
                         HeldMemory& memory) {
  if (encoding.empty() || encoding == "identity") return body;
  std::string result;
  Inflater inflater(body);
  for (std::string_view piece = inflater.next(); !piece.empty(); piece = inflater.next()) {
    if (piece.size() > most - result.size()) throw too_large_body(most);
    if (!memory.add(piece.size())) throw too_many_bodies();
    result.append(piece);
  }
  return result;
}

}  // namespace mithril
