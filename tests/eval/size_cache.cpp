#include "mithril/eval/size_cache.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

namespace mithril {
namespace {

// An entry whose destructor waits until another thread has used the cache.
struct SlowEntry {
  int number = 0;
  std::shared_ptr<const SizeCache<SlowEntry>> cache = nullptr;
  bool* was_usable = nullptr;

  SlowEntry(int of, std::shared_ptr<const SizeCache<SlowEntry>> in, bool* usable)
      : number(of), cache(std::move(in)), was_usable(usable) {}
  SlowEntry(SlowEntry&& other) noexcept
      : number(other.number),
        cache(std::move(other.cache)),
        was_usable(std::exchange(other.was_usable, nullptr)) {}
  ~SlowEntry() {
    if (!was_usable) return;
    const auto user =
        std::make_shared<std::future<void>>(std::async(std::launch::async, [cache = cache] {
          cache->find_or_make([](const SlowEntry& entry) { return entry.number == 64; },
                              [] { return SlowEntry(64, nullptr, nullptr); });
        }));
    *was_usable = user->wait_for(std::chrono::minutes(5)) == std::future_status::ready;
    if (!*was_usable) std::thread([user] { user->wait(); }).detach();
  }
};

}  // namespace

TEST_CASE("a size cache is not locked while it destroys evicted entries") {
  const auto cache = std::make_shared<const SizeCache<SlowEntry>>();
  bool was_usable = false;
  for (int i = 0; i <= 64; ++i) {
    cache->find_or_make(
        [&](const SlowEntry& entry) { return entry.number == i; },
        [&] { return i == 0 ? SlowEntry(0, cache, &was_usable) : SlowEntry(i, nullptr, nullptr); });
  }
  CHECK(was_usable);
}

}  // namespace mithril
