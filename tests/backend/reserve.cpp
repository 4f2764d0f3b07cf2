// One large allocation that is given out in parts.
#include "mithril/backend/reserve.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace mithril {
namespace {

struct alignas(64) Memory {
  std::byte bytes[64 * 100];
};

}  // namespace

TEST_CASE("a reserve gives out parts that do not overlap, and is whole again in the end") {
  auto memory = std::make_unique<Memory>();
  bool freed = false;
  {
    Reserve reserve(memory.get(), sizeof(Memory),
                    [&](void* address) { freed = address == memory.get(); });
    std::mt19937 random(7);
    std::vector<std::pair<std::byte*, size_t>> parts;
    for (int n = 0; n < 20'000; ++n) {
      if (parts.empty() || random() % 2) {
        const size_t size = 1 + random() % 700;
        auto* part = static_cast<std::byte*>(reserve.take(size));
        if (!part) continue;
        REQUIRE(reinterpret_cast<std::uintptr_t>(part) % 64 == 0);
        REQUIRE(part >= memory->bytes);
        REQUIRE(part + size <= memory->bytes + sizeof(Memory));
        for (const auto& [other, other_size] : parts) {
          REQUIRE((part + size <= other || other + other_size <= part));
        }
        parts.emplace_back(part, size);
      } else {
        std::swap(parts[random() % parts.size()], parts.back());
        reserve.give(parts.back().first);
        parts.pop_back();
      }
    }
    for (const auto& [part, size] : parts) reserve.give(part);
    CHECK(reserve.left() == sizeof(Memory));
    void* whole = reserve.take(sizeof(Memory));
    CHECK(whole == memory.get());
    CHECK(reserve.left() == 0);
    CHECK(reserve.take(1) == nullptr);
    reserve.give(whole);
  }
  CHECK(freed);
}

TEST_CASE("a reserve refuses a part that is larger than every free part") {
  auto memory = std::make_unique<Memory>();
  Reserve reserve(memory.get(), sizeof(Memory), [](void*) {});
  void* first = reserve.take(64 * 50);
  void* second = reserve.take(64 * 25);
  reserve.give(first);
  CHECK(reserve.left() == 64 * 75);
  CHECK(reserve.take(64 * 60) == nullptr);
  reserve.give(second);
  CHECK(reserve.take(64 * 60) == memory.get());
}

}  // namespace mithril
