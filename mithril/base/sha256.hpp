// The checksum SHA-256, FIPS 180-4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mithril {

class Sha256 {
 public:
  // Which implementation hashes: that of the processor, if it has instructions for it, or the
  // portable one. Both give the same checksums.
  enum class Use { fastest, portable };
  explicit Sha256(Use use = Use::fastest);

  void add(std::span<const std::byte> bytes);
  // The checksum of all added bytes as 64 hexadecimal digits in lower case. Called once, at the
  // end.
  std::string hex_digest();

 private:
  using Compress = void (*)(std::uint32_t* state, const std::byte* blocks, std::size_t count);

  Compress compress_;
  std::array<std::uint32_t, 8> state_;
  std::array<std::byte, 64> waiting_;  // the start of a block
  std::uint64_t bytes_ = 0;            // in all
};

// Throws Interrupted.
std::string sha256_of(std::span<const std::byte> bytes);

}  // namespace mithril
