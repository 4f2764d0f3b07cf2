// Checksums that compare large data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mithril {

// Returns a 64-bit checksum, at the speed of memory. Two different inputs of one size have equal
// checksums with a probability of about 2^-64. It does not protect against data that was crafted to
// collide.
std::uint64_t checksum_of(std::span<const std::byte> bytes);

}  // namespace mithril
