// Counting memory, refusing it, and telling hooks of it.
#include "mithril/backend/meter.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "mithril/backend/counted_blocks.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

std::string text_of(const MemoryEvent& event) {
  return event.device + " +" + std::to_string(event.allocated) + " -" + std::to_string(event.freed);
}

using Told = std::shared_ptr<std::vector<std::string>>;

MemoryHook write_down(const Told& told) {
  return [told](const std::string& device, int64_t allocated, int64_t freed) {
    told->push_back(text_of({device, allocated, freed}));
  };
}

}  // namespace

TEST_CASE("a meter counts the memory in use and its peak") {
  const auto meter = Meter::make(std::nullopt);
  CHECK_FALSE(meter->take(100));
  CHECK_FALSE(meter->take(50));
  meter->give(100);
  CHECK_FALSE(meter->take(20));
  CHECK(meter->allocated() == 70);
  CHECK(meter->peak() == 150);
}

TEST_CASE("an allocation above the limit is refused and not counted") {
  const auto meter = Meter::make(100);
  CHECK_FALSE(meter->take(60));
  const auto refusal = meter->take(41);
  REQUIRE(refusal);
  CHECK(refusal->asked == 41);
  CHECK(refusal->in_use == 60);
  CHECK(refusal->limit == 100);
  CHECK(meter->allocated() == 60);
  CHECK(meter->peak() == 60);
  CHECK_FALSE(meter->take(40));
  CHECK(meter->take(INT64_MAX));
}

TEST_CASE("a refusal names the op and all sizes") {
  CHECK(text_of_error([] {
          out_of_memory({41, 60, 100}, "encoder.fc1.output", "linear");
        }) ==
        "mithril.OutOfMemoryError[E1101]: encoder.fc1.output: more memory is needed than "
        "memory_limit allows\n"
        "  op     : linear\n"
        "  asked  : 41 bytes\n"
        "  in use : 60 bytes\n"
        "  limit  : 100 bytes");
  CHECK(text_of_error([] {
          out_of_memory({41, 60, std::nullopt}, "", "");
        }) ==
        "mithril.OutOfMemoryError[E1102]: there is not enough memory\n"
        "  asked  : 41 bytes\n"
        "  in use : 60 bytes");
}

TEST_CASE("hooks are called at the end of a scope, in order, until they are removed") {
  const auto meter = Meter::make(std::nullopt);
  const auto told = std::make_shared<std::vector<std::string>>();
  MemoryHookHandle handle = meter->add_hook(write_down(told));
  {
    MeterScope scope(meter.get());
    CHECK(scope.take("cpu", 8));
    CHECK(scope.take("cpu", 4));
    scope.give("cpu", 8);
    CHECK(told->empty());
    scope.finish();
  }
  CHECK(*told == std::vector<std::string>{"cpu +8 -0", "cpu +4 -0", "cpu +0 -8"});
  handle.remove();
  MeterScope scope(meter.get());
  scope.give("cpu", 4);
  scope.finish();
  CHECK(told->size() == 3);
}

TEST_CASE("an exception of a hook leaves finish() after all hooks were called") {
  const auto meter = Meter::make(std::nullopt);
  const auto told = std::make_shared<std::vector<std::string>>();
  meter->add_hook([](const auto&, int64_t, int64_t) { throw std::runtime_error("full"); });
  meter->add_hook(write_down(told));
  MeterScope scope(meter.get());
  scope.take("cpu", 8);
  scope.take("cpu", 4);
  CHECK_THROWS_WITH(scope.finish(), "full");
  CHECK(told->size() == 2);
  CHECK(meter->allocated() == 12);
}

TEST_CASE("hooks are called for a scope that an error ended, and the first error is kept") {
  const auto meter = Meter::make(10);
  const auto told = std::make_shared<std::vector<std::string>>();
  meter->add_hook(write_down(told));
  meter->add_hook([](const auto&, int64_t, int64_t) { throw std::runtime_error("full"); });
  const auto fails = [&] {
    MeterScope scope(meter.get());
    scope.take("cpu", 8);
    if (!scope.take("cpu", 4)) out_of_memory(*scope.refusal(), "", "");
  };
  CHECK_THROWS_AS(fails(), OutOfMemoryError);
  CHECK(*told == std::vector<std::string>{"cpu +8 -0"});
}

TEST_CASE("scopes nest, and a scope without a meter does not count") {
  const auto outer = Meter::make(std::nullopt);
  const auto inner = Meter::make(std::nullopt);
  const MeterScope first(outer.get());
  CHECK(MeterScope::current() == &first);
  {
    const MeterScope second(inner.get());
    CHECK(MeterScope::current() == &second);
    const MeterScope nobody(nullptr);
    CHECK(MeterScope::current() == nullptr);
  }
  CHECK(MeterScope::current() == &first);
}

TEST_CASE("the outermost scope of a meter calls its hooks in the order of events") {
  const auto meter = Meter::make(std::nullopt);
  const auto told = std::make_shared<std::vector<std::string>>();
  meter->add_hook(write_down(told));
  MeterScope outer(meter.get());
  outer.take("cpu", 1);
  {
    MeterScope inner(meter.get());
    inner.take("cpu", 2);
    inner.finish();
  }
  outer.take("cpu", 3);
  CHECK(told->empty());
  outer.finish();
  CHECK(*told == std::vector<std::string>{"cpu +1 -0", "cpu +2 -0", "cpu +3 -0"});
}

TEST_CASE("blocks are given back to their meter by any thread, and only once") {
  const auto meter = Meter::make(std::nullopt);
  const auto told = std::make_shared<std::vector<std::string>>();
  meter->add_hook(write_down(told));
  int blocks[2];
  for (int& block : blocks) {
    MeterScope scope(meter.get());
    scope.take("cpu", 8);
    remember_block(&block, {meter.get(), 8});
    scope.finish();
  }
  std::thread([&] { forget_block(&blocks[0], "cpu"); }).join();
  CHECK(meter->allocated() == 8);
  CHECK(told->size() == 2);
  MeterScope(meter.get()).finish();
  CHECK(told->back() == "cpu +0 -8");
  forget_block(&blocks[0], "cpu");
  CHECK(meter->allocated() == 8);
  forget_block(&blocks[1], "cpu");
  CHECK(meter->allocated() == 0);
}

TEST_CASE("a released meter drops its hooks immediately and lives as long as its blocks") {
  auto meter = Meter::make(std::nullopt);
  const auto told = std::make_shared<std::vector<std::string>>();
  meter->add_hook(write_down(told));
  Meter* const counted = meter.get();
  int block = 0;
  {
    MeterScope scope(counted);
    scope.take("cpu", 8);
    remember_block(&block, {counted, 8});
  }
  meter.reset();
  CHECK(told.use_count() == 1);
  forget_block(&block, "cpu");
  Meter::make(std::nullopt).reset();  // the next release also removes finished meters
}

TEST_CASE("thousands of blocks in any order are each found once") {
  const auto meter = Meter::make(std::nullopt);
  std::vector<int64_t> blocks(5000);
  MeterScope scope(meter.get());
  for (int64_t& block : blocks) {
    scope.take("cpu", 1 + (&block - blocks.data()) % 7);
    remember_block(&block, {meter.get(), 1 + (&block - blocks.data()) % 7});
  }
  int64_t left = meter->allocated();
  for (size_t n = 0; n < blocks.size(); ++n) {
    const size_t at = n * 1999 % blocks.size();  // each once: 1999 and 5000 share no factor
    forget_block(&blocks[at], "cpu");
    left -= 1 + static_cast<int64_t>(at % 7);
    REQUIRE(meter->allocated() == left);
    if (n % 2) continue;
    forget_block(&blocks[at], "cpu");
    REQUIRE(meter->allocated() == left);
  }
  CHECK(left == 0);
}

TEST_CASE("watched memory counts until a later call finds that it was freed") {
  const auto meter = Meter::make(10);
  const auto told = std::make_shared<std::vector<std::string>>();
  meter->add_hook(write_down(told));
  bool gone = false;
  MeterScope scope(meter.get());
  scope.take("cuda:0", 8);
  meter->watch({[&] { return gone; }, "cuda:0", 8});
  meter->sweep();
  CHECK(meter->allocated() == 8);
  CHECK_FALSE(scope.take("cuda:0", 4));
  gone = true;
  CHECK(scope.take("cuda:0", 4));
  CHECK(meter->allocated() == 4);
  scope.finish();
  CHECK(*told == std::vector<std::string>{"cuda:0 +0 -8", "cuda:0 +8 -0", "cuda:0 +4 -0"});
}

TEST_CASE("memory that is already allocated counts above the limit, and is reported as refused") {
  const auto meter = Meter::make(10);
  MeterScope scope(meter.get());
  scope.add("cuda:0", 8);
  CHECK_FALSE(scope.refusal());
  scope.add("cuda:0", 4);
  REQUIRE(scope.refusal());
  CHECK(scope.refusal()->in_use == 8);
  CHECK(meter->allocated() == 12);
  scope.finish();
}

TEST_CASE("eight threads share a limit to the byte") {
  const auto meter = Meter::make(1000);
  std::atomic<int> granted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      MeterScope scope(meter.get());
      for (int n = 0; n < 500; ++n) granted += scope.take("cpu", 1);
      scope.finish();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(granted == 1000);
  CHECK(meter->allocated() == 1000);
  CHECK(meter->peak() == 1000);
}

}  // namespace mithril
