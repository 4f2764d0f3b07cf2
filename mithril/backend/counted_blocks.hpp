// Blocks of memory that count for a meter, by their addresses: for a deleter that is given no more.
#pragma once

#include <cstdint>

#include "mithril/backend/meter.hpp"

namespace mithril {

struct CountedBlock {
  Meter* meter = nullptr;  // stays until the block is given back
  int64_t bytes = 0;
  Reserve* reserve = nullptr;  // of the meter, that it is a part of; null: torch's, or the system's
};

// May be called from any thread, also while the process ends.
void remember_block(const void* address, CountedBlock block);
// Frees the block to its meter and forgets it. Does nothing for an unknown address. Returns whether
// the block was part of a reserve, which then has its memory back.
bool forget_block(void* address, const char* device);

}  // namespace mithril
