#include "mithril/base/forks.hpp"

#include <pthread.h>

#include <atomic>

namespace mithril {
namespace {

std::atomic<std::uint32_t> forks{0};
[[maybe_unused]] const int counted_at_fork =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

std::uint32_t fork_count() { return forks.load(std::memory_order_relaxed); }

}  // namespace mithril
