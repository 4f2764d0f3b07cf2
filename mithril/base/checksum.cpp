#include "mithril/base/checksum.hpp"

#include <array>
#include <cstring>

namespace mithril {
namespace {

// Arbitrary odd numbers: the first digits of pi after the point.
constexpr std::array<std::uint64_t, 4> starts = {0x243f6a8885a308d3U, 0x13198a2e03707345U,
                                                 0xa4093822299f31d1U, 0x082efa98ec4e6c89U};
constexpr std::uint64_t mask = 0x452821e638d01377U;
constexpr std::size_t line = 64;  // bytes that are read at once
constexpr std::size_t parts = 4;  // memory delivers more from several places than from one

__extension__ using Product = unsigned __int128;

std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// Both halves of the product of two words, as in wyhash (https://github.com/wangyi-fudan/wyhash).
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const Product product = static_cast<Product>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

// Several sums, because the processor multiplies several at once.
struct Sums {
  std::uint64_t a = starts[0], b = starts[1], c = starts[2], d = starts[3];

  void add(const std::byte* bytes) {
    a = mixed(word_at(bytes) ^ mask, word_at(bytes + 8) ^ a);
    b = mixed(word_at(bytes + 16) ^ mask, word_at(bytes + 24) ^ b);
    c = mixed(word_at(bytes + 32) ^ mask, word_at(bytes + 40) ^ c);
    d = mixed(word_at(bytes + 48) ^ mask, word_at(bytes + 56) ^ d);
  }
};

}  // namespace

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  Sums sums;
  const std::size_t part = bytes.size() / line / parts * line;
  for (std::size_t at = 0; at < part; at += line) {
    for (std::size_t i = 0; i < parts; ++i) sums.add(bytes.data() + i * part + at);
  }
  std::size_t at = part * parts;
  for (; at + line <= bytes.size(); at += line) sums.add(bytes.data() + at);
  std::array<std::byte, line> last{};
  if (at < bytes.size()) std::memcpy(last.data(), bytes.data() + at, bytes.size() - at);
  sums.add(last.data());
  return mixed(mixed(sums.a, sums.b ^ mask), mixed(sums.c, sums.d ^ mask) ^ bytes.size());
}

}  // namespace mithril
