// How threads share work.
#pragma once

#include <cstdint>

namespace mithril::cpu_backend {

// Multiplications that are worth a thread of their own: some microseconds.
constexpr int64_t multiplications_for_a_thread = 1 << 18;

// So much work, in pieces, and how much of it is worth a thread of its own.
struct Work {
  int64_t amount, pieces, worth_a_thread;
};

// Into how many parts it goes, of some pieces each.
int parts_of(const Work& work, int threads);

// Of a convolution: whole groups of channels, or the work on each of them.
struct Sharing {
  int64_t parts = 1;
  bool whole = true;
};

// For so many multiplications, on so many groups that are as large as each other.
Sharing share(double multiplications, int64_t groups, int threads);

}  // namespace mithril::cpu_backend
