#include "mithril/server/chunk_reader.hpp"

#include <algorithm>

namespace mithril {
namespace {

// -1: no digit.
int value_of_hex(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

constexpr std::uint64_t largest_chunk = std::uint64_t{1} << 56;  // another digit fits

}  // namespace

ChunkReader::State ChunkReader::next(char byte) {
  const auto expect = [&](char expected, State then) {
    return byte == expected ? then : State::wrong;
  };
  switch (state_) {
    case State::first_digit:
    case State::digits: {
      const int digit = value_of_hex(byte);
      if (state_ == State::digits && byte == '\r') return State::size_end;
      if (digit < 0 || left_ >= largest_chunk) return State::wrong;
      left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
      return State::digits;
    }
    case State::size_end:
      return expect('\n', left_ > 0 ? State::data : State::last_end);
    case State::data_end:
      return expect('\r', State::data_end_2);
    case State::data_end_2:
      return expect('\n', State::first_digit);
    case State::last_end:
      return expect('\r', State::last_end_2);
    case State::last_end_2:
      return expect('\n', State::complete);
    default:
      return state_;
  }
}

std::size_t ChunkReader::read(std::string_view bytes, std::string& body, std::size_t most) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ != State::complete && state_ != State::wrong &&
         state_ != State::too_large) {
    if (state_ != State::data) {
      state_ = next(bytes[at++]);
      if (state_ == State::data && left_ > most - body.size()) state_ = State::too_large;
      continue;
    }
    const std::string_view piece =
        bytes.substr(at, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
    body.append(piece);
    at += piece.size();
    left_ -= piece.size();
    if (left_ == 0) state_ = State::data_end;
  }
  return at;
}

}  // namespace mithril
