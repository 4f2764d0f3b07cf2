// Decompresses the data of the deflate format, RFC 1951.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mithril {

// nullopt unless the data is valid and has exactly `bytes` bytes decompressed.
std::optional<std::vector<std::byte>> inflated(std::span<const std::byte> data,
                                               std::uint64_t bytes);

// The checksum of zip archives.
std::uint32_t crc32_of(std::span<const std::byte> bytes);

}  // namespace mithril
