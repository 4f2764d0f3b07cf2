// The counts of requests: each request is counted once, by its end.
#include <doctest/doctest.h>

#include <stdexcept>
#include <stop_token>
#include <thread>

#include "tests/engine/gated_backend.hpp"
#include "tests/engine/served_models.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

std::uint64_t ended_requests(const ServingStats& stats) {
  return stats.answered + stats.failed + stats.rejected + stats.expired + stats.cancelled;
}

using Clock = std::chrono::steady_clock;

}  // namespace

TEST_CASE("requests that the engine refuses are counted once") {
  for (const std::int64_t rows : {1, 8}) {
    Engine engine({.threads = 1});
    engine.register_model("net", gated(), {}, {.max_batch_size = rows});
    const auto check = [&](std::uint64_t ServingStats::*count, std::uint64_t expected) {
      const ServingStats stats = engine.stats("net");
      CHECK(stats.*count == expected);
      CHECK(stats.requests == ended_requests(stats));
    };
    const auto refuse = [&](const InferOptions& options, const TensorMap& inputs) {
      CHECK_THROWS_AS(engine.infer("net", inputs, options), Error);
      CHECK_THROWS_AS(engine.infer_async("net", inputs, options), Error);
      CHECK(engine.infer_batch("net", {&inputs, 1}, options).front().error);
    };
    engine.infer("net", request_of(1));
    check(&ServingStats::answered, 1);
    refuse({}, {});  // lacks an input
    check(&ServingStats::failed, 3);
    refuse({.session = "none"}, request_of(1));
    check(&ServingStats::failed, 6);
    refuse({.deadline = Clock::now()}, request_of(1));
    check(&ServingStats::expired, 3);
    std::stop_source source;
    source.request_stop();
    refuse({.cancellation = source.get_token()}, request_of(1));
    check(&ServingStats::cancelled, 3);
    gate.fail_next();
    CHECK_THROWS_AS(engine.infer("net", request_of(1)), std::runtime_error);
    check(&ServingStats::failed, 7);
    engine.count_refused("net");
    check(&ServingStats::failed, 8);
    engine.shut_down();
    refuse({}, request_of(1));
    check(&ServingStats::cancelled, 6);
  }
}

TEST_CASE("an evaluation that fails counts with its rows and its time") {
  Engine engine({.threads = 1});
  engine.register_model("net", gated(), {}, {.max_batch_size = 8});
  gate.fail_next();
  CHECK_THROWS_AS(engine.infer("net", request_of(1, 3)), std::runtime_error);
  const ServingStats here = engine.stats("net");
  CHECK(here.calls == 1);
  CHECK(here.rows == 3);
  CHECK(here.run_seconds > 0);
  gate.fail_next();
  CHECK_THROWS_AS(engine.infer_async("net", request_of(1, 3)).result(), std::runtime_error);
  const ServingStats in_worker = engine.stats("net");
  CHECK(in_worker.calls == 2);
  CHECK(in_worker.rows == 6);
  CHECK(in_worker.run_seconds > here.run_seconds);
}

TEST_CASE("requests to a model that cannot be loaded again are counted once") {
  const CompiledModel compiled = served_perceptron();
  const auto load = [&] { return ServableModel{compiled, compiled.get_parameters(1)}; };
  bool is_gone = false;
  Engine engine({.memory_limit = 300});  // one of them
  engine.register_model("net", [&] {
    if (is_gone) throw std::runtime_error("the disk is gone");
    return load();
  });
  engine.register_model("other", load);
  is_gone = true;
  CHECK_THROWS_AS(engine.infer("net", request_of(1)), std::runtime_error);
  CHECK(engine.stats("net").requests == 1);
  CHECK(engine.stats("net").failed == 1);
}

TEST_CASE("requests that wait for a thread are counted once") {
  Engine engine({.threads = 1});
  engine.register_model("net", gated(), {}, {.max_queue = 1});
  gate.close();
  std::thread busy([&] { engine.infer("net", request_of(0)); });
  gate.wait_for(1);
  std::stop_source source;
  std::thread waiting([&] {
    CHECK(text_of_error([&] {
            engine.infer("net", request_of(1), {.cancellation = source.get_token()});
          }).starts_with("mithril.BackendError[E1206]"));
  });
  while (engine.stats("net").waiting < 1) std::this_thread::yield();
  CHECK(text_of_error([&] {
          engine.infer("net", request_of(2));
        }).starts_with("mithril.BackendError[E1203]"));
  source.request_stop();
  waiting.join();
  gate.open();
  busy.join();
  const ServingStats stats = engine.stats("net");
  CHECK(stats.rejected == 1);
  CHECK(stats.cancelled == 1);
  CHECK(stats.answered == 1);
  CHECK(stats.requests == 3);
}

TEST_CASE("unloading fails requests that wait for a thread") {
  Engine engine({.threads = 1});
  engine.register_model("busy", gated());
  engine.register_model("net", gated());
  gate.close();
  std::thread busy([&] { engine.infer("busy", request_of(0)); });
  gate.wait_for(1);
  std::string text;
  std::thread waiting([&] { text = text_of_error([&] { engine.infer("net", request_of(1)); }); });
  while (engine.stats("net").waiting < 1) std::this_thread::yield();
  engine.unload("net");
  waiting.join();  // although no thread is free
  CHECK(text ==
        "mithril.BackendError[E1207]: model 'net' was unloaded while a request was waiting");
  gate.open();
  busy.join();
  CHECK(engine.stats("busy").answered == 1);
}

TEST_CASE("shutting down fails requests that wait for a thread when its time is over") {
  Engine engine({.threads = 1});
  engine.register_model("net", gated());
  gate.close();
  std::thread busy([&] { engine.infer("net", request_of(0)); });
  gate.wait_for(1);
  std::string text;
  std::thread waiting([&] { text = text_of_error([&] { engine.infer("net", request_of(1)); }); });
  while (engine.stats("net").waiting < 1) std::this_thread::yield();
  engine.shut_down(Clock::now());
  waiting.join();  // although no thread is free
  CHECK(text.starts_with("mithril.BackendError[E1208]"));
  gate.open();
  busy.join();
  CHECK(engine.stats("net").answered == 1);
  CHECK(engine.stats("net").cancelled == 1);
}

}  // namespace mithril::tests
