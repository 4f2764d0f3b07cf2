#include "tests/fuzz/cost.hpp"

#include <sanitizer/allocator_interface.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace mithril::fuzz {
namespace {

std::atomic<std::int64_t> allocated{0}, most{0};

void count_allocation(const volatile void* /*data*/, std::size_t bytes) {
  const std::int64_t now = allocated += static_cast<std::int64_t>(bytes);
  std::int64_t before = most;
  while (before < now && !most.compare_exchange_weak(before, now)) {
  }
}

void count_release(const volatile void* data) {
  if (data) allocated -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(data));
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Cost::Cost() : begin_(processor_seconds()) {
  static const int installed =
      __sanitizer_install_malloc_and_free_hooks(count_allocation, count_release);
  static_cast<void>(installed);
  allocated = 0;
  most = 0;
}

double Cost::seconds() const { return processor_seconds() - begin_; }

std::size_t Cost::peak_bytes() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(most, 0));
}

}  // namespace mithril::fuzz
