#include "backends/cpu/sharing.hpp"

#include <algorithm>

namespace mithril::cpu_backend {
namespace {

// Multiplications that are worth a thread of their own: some microseconds.
constexpr double worth_a_thread = 1 << 18;
// Groups for each thread, from which on each has about as much to do.
constexpr int64_t many = 8;

}  // namespace

Sharing share(double multiplications, int64_t groups, int threads) {
  const double worth = std::min<double>(multiplications / worth_a_thread, threads);
  const auto parts = std::max(static_cast<int64_t>(worth), int64_t{1});
  return {parts, groups % parts == 0 || groups >= many * parts};
}

}  // namespace mithril::cpu_backend
