// Normalises bools of other libraries, which may hold bytes other than 0 and 1. Sums and
// comparisons would compute with these bytes.
#pragma once

#include <cstdint>

namespace mithril {

// Whether one of the bytes is neither 0 nor 1.
inline bool has_other_bytes(const void* bools, std::int64_t count) {
  const auto* bytes = static_cast<const unsigned char*>(bools);
  unsigned char bits = 0;
  for (std::int64_t i = 0; i < count; ++i) bits |= bytes[i];
  return bits > 1;
}

// Sets each byte that is not 0 to 1. `to` may be `from`.
inline void normalise_bools(const void* from, void* to, std::int64_t count) {
  const auto* bytes = static_cast<const unsigned char*>(from);
  auto* normalised = static_cast<unsigned char*>(to);
  for (std::int64_t i = 0; i < count; ++i) normalised[i] = bytes[i] != 0;
}

}  // namespace mithril
