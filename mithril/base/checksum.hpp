// Checksums that find out whether large data is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mithril {

// The checksum of bytes, as fast as memory delivers them. Different data of one size has the same
// checksum by chance, with a probability of about 2^-64: also if words are exchanged, or if bits
// change in several of them. It is no protection against data that was made to have it.
std::uint64_t checksum_of(std::span<const std::byte> bytes);

}  // namespace mithril
