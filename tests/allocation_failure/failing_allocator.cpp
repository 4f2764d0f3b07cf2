#include "tests/allocation_failure/failing_allocator.hpp"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

// The allocator of glibc, which the replacements of malloc below call. operator new calls malloc.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace mithril::tests {
namespace {

constinit std::atomic<bool> counting{false};
constinit std::atomic<long> requests{0};
constinit std::atomic<long> failing_request{-1};

bool must_fail() {
  if (!counting.load(std::memory_order_relaxed)) return false;
  if (requests.fetch_add(1) != failing_request.load()) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

void FailingAllocator::fail_at(long request) {
  failing_request = request;
  requests = 0;
}
bool FailingAllocator::count(bool on) { return counting.exchange(on); }
long FailingAllocator::counted() { return requests; }
bool FailingAllocator::has_failed() { return failing_request >= 0 && requests > failing_request; }

}  // namespace mithril::tests

using mithril::tests::must_fail;

extern "C" {

void* malloc(std::size_t bytes) { return must_fail() ? nullptr : __libc_malloc(bytes); }

void* calloc(std::size_t count, std::size_t bytes) {
  return must_fail() ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
  return must_fail() ? nullptr : __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return must_fail() ? nullptr : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  void* made = memalign(alignment, bytes);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

// A new thread needs memory, too.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  if (must_fail()) return EAGAIN;
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, run, argument);
}

}  // extern "C"
