#include "mithril/base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "mithril/base/interrupt.hpp"

namespace mithril {
namespace {

constexpr std::size_t block_bytes = 64;

// The fractions of the square roots of the first 8 primes and of the cube roots of the first 64.
constexpr std::array<std::uint32_t, 8> first_state = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
alignas(16) constexpr std::uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian_word(const std::byte* at) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | std::to_integer<std::uint32_t>(at[i]);
  return word;
}

void compress_portably(std::uint32_t* state, const std::byte* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += block_bytes) {
    std::uint32_t w[64];
    for (int i = 0; i < 16; ++i) w[i] = big_endian_word(blocks + 4 * i);
    for (int i = 16; i < 64; ++i) {
      const std::uint32_t early = w[i - 15], late = w[i - 2];
      const std::uint32_t s0 = std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3;
      const std::uint32_t s1 = std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4],
                  f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
      const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first;
      d = c, c = b, b = a, a = first + second;
    }
    const std::uint32_t sums[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) state[i] += sums[i];
  }
}

#if defined(__x86_64__)
bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned ssse3 = 1u << 9, sse41 = 1u << 19, sha = 1u << 29;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & ssse3) == 0 || (c & sse41) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & sha) != 0;
}

// Intel's SHA extensions: the state is held as the words ABEF and CDGH, and four rounds take two
// instructions.
__attribute__((target("sha,sse4.1,ssse3"))) void compress_with_sha_instructions(
    std::uint32_t* state, const std::byte* blocks, std::size_t count) {
  const auto load = [](const void* from) __attribute__((target("sha,sse4.1,ssse3"))) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i abcd = _mm_shuffle_epi32(load(state), 0xB1);
  __m128i cdgh = _mm_shuffle_epi32(load(state + 4), 0x1B);
  __m128i abef = _mm_alignr_epi8(abcd, cdgh, 8);
  cdgh = _mm_blend_epi16(cdgh, abcd, 0xF0);
  for (; count > 0; --count, blocks += block_bytes) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];  // the last 16 words of the message schedule
    for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(load(blocks + 16 * i), big_endian);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      __m128i& oldest = w[i % 4];
      const __m128i next = w[(i + 1) % 4], later = w[(i + 2) % 4], newest = w[(i + 3) % 4];
      const __m128i sum = _mm_add_epi32(oldest, load(round_constants + 4 * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
      if (i >= 12) continue;
      const __m128i part =
          _mm_add_epi32(_mm_sha256msg1_epu32(oldest, next), _mm_alignr_epi8(newest, later, 4));
      oldest = _mm_sha256msg2_epu32(part, newest);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

auto fastest_compress() {
#if defined(__x86_64__)
  static const bool has_instructions = has_sha_instructions();
  if (has_instructions) return &compress_with_sha_instructions;
#endif
  return &compress_portably;
}

}  // namespace

Sha256::Sha256(Use use)
    : compress_(use == Use::portable ? &compress_portably : fastest_compress()),
      state_(first_state) {}

void Sha256::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::size_t held = bytes_ % block_bytes;
  bytes_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(block_bytes - held, bytes.size());
    std::memcpy(waiting_.data() + held, bytes.data(), taken);
    bytes = bytes.subspan(taken);
    if (held + taken < block_bytes) return;
    compress_(state_.data(), waiting_.data(), 1);
  }
  const std::size_t blocks = bytes.size() / block_bytes;
  compress_(state_.data(), bytes.data(), blocks);
  const auto rest = bytes.subspan(blocks * block_bytes);
  std::copy(rest.begin(), rest.end(), waiting_.begin());
}

std::string Sha256::hex_digest() {
  // A one bit, zeros, and the number of bits in the last 8 bytes of a block.
  const std::uint64_t bits = bytes_ * 8;
  std::array<std::byte, 2 * block_bytes> end{};
  end[0] = std::byte{0x80};
  const std::size_t held = bytes_ % block_bytes;
  const std::size_t size = (held < block_bytes - 8 ? block_bytes : 2 * block_bytes) - held;
  for (std::size_t i = 0; i < 8; ++i) end[size - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
  add(std::span(end).first(size));
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += digits[word >> shift & 0xF];
  }
  return text;
}

std::string sha256_of(std::span<const std::byte> bytes) {
  constexpr std::size_t piece = 1U << 20U;  // a few milliseconds
  Sha256 hash;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    check_interrupt();
    hash.add(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  return hash.hex_digest();
}

}  // namespace mithril
