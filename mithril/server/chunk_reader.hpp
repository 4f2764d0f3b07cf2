// The chunks of a body with Transfer-Encoding: chunked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mithril {

// Takes what clients send, SIZE CRLF DATA CRLF ... 0 CRLF CRLF, and nothing else: no extensions, no
// spaces, no fields after the last chunk.
class ChunkReader {
 public:
  // Appends the data to the body, at most up to `most` bytes. Returns how many bytes it has read:
  // less than all of them after the last chunk, after a fault, and where the body is too large.
  std::size_t read(std::string_view bytes, std::string& body, std::size_t most);

  bool is_complete() const { return state_ == State::complete; }
  bool is_wrong() const { return state_ == State::wrong; }
  bool is_too_large() const { return state_ == State::too_large; }

 private:
  enum class State {
    first_digit,
    digits,
    size_end,
    data,
    data_end,
    data_end_2,
    last_end,
    last_end_2,
    complete,
    wrong,
    too_large
  };

  State next(char byte);

  State state_ = State::first_digit;
  std::uint64_t left_ = 0;  // of the chunk
};

}  // namespace mithril
