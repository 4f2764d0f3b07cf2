// Hashes and compares the values of nodes.
#pragma once
#include <cstddef>

#include "mithril/infer/datum.hpp"

namespace mithril {

inline size_t mix_hash(size_t hash, size_t more) {
  return (hash ^ more) * 0x9e3779b97f4a7c15u + (hash >> 29);
}

size_t hash_of(const Datum& datum);
// The same to the bit: 0.0 and -0.0 differ.
bool identical(const Datum& a, const Datum& b);

}  // namespace mithril
