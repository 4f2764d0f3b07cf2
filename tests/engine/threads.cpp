// Many threads and one engine. Under the thread sanitizer this is the test that counts.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/engine/gated_backend.hpp"
#include "tests/engine/served_models.hpp"

namespace mithril::tests {
namespace {

template <typename Work>
void run_clients(int count, Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("threads get the answers of their own models, batched and not") {
  const CompiledModel compiled = served_perceptron();
  const TensorMap params[] = {compiled.get_parameters(1), compiled.get_parameters(2)};
  for (const int delay : {0, 200}) {
    Engine engine;
    engine.register_model("a", compiled, params[0],
                          {.max_batch_size = 4, .max_delay = std::chrono::microseconds(delay)});
    engine.register_model("b", compiled, params[1]);
    std::atomic<int> wrong = 0;
    run_clients(8, [&](int client) {
      for (int i = 0; i < 20; ++i) {
        const TensorMap request = request_of(client + 0.5 * i, 1 + i % 3);
        const TensorMap answer = engine.infer(client % 2 == 0 ? "a" : "b", request);
        if (!are_close(answer, compiled.evaluate(params[client % 2], request))) ++wrong;
      }
    });
    CHECK(wrong == 0);
    CHECK(engine.stats("a").answered == 80);
  }
}

TEST_CASE("a model is replaced while threads use it") {
  const CompiledModel compiled = served_perceptron();
  const TensorMap params[] = {compiled.get_parameters(1), compiled.get_parameters(2)};
  const TensorMap request = request_of(1);
  const TensorMap expected[] = {compiled.evaluate(params[0], request),
                                compiled.evaluate(params[1], request)};
  Engine engine;
  const auto add = [&](int which, std::int64_t batch, int delay) {
    engine.register_model("net", compiled, params[which],
                          {.max_batch_size = batch, .max_delay = std::chrono::microseconds(delay)});
  };
  add(0, 1, 0);
  std::atomic<int> wrong = 0;
  std::atomic<bool> ended = false;
  std::thread replacing([&] {
    for (int i = 1; !ended; ++i) add(i % 2, 1 + i % 3, i % 4 < 2 ? 0 : 100);
  });
  run_clients(4, [&](int) {
    for (int i = 0; i < 20; ++i) {
      const TensorMap answer = engine.infer("net", request);
      if (!are_close(answer, expected[0]) && !are_close(answer, expected[1])) ++wrong;
    }
  });
  ended = true;
  replacing.join();
  CHECK(wrong == 0);
}

TEST_CASE("threads cancel requests and unload models that others use") {
  const CompiledModel compiled = served_perceptron();
  const TensorMap params = compiled.get_parameters(1);
  Engine engine;
  std::atomic<int> answered = 0, refused = 0;
  run_clients(4, [&](int client) {
    for (int i = 0; i < 10; ++i) {
      try {
        if (client == 0) {
          engine.register_model("net", compiled, params,
                                {.max_batch_size = 8, .max_delay = std::chrono::milliseconds(1)});
        }
        PendingAnswer pending = engine.infer_async("net", request_of(i));
        if (i % 3 == 0) pending.cancel();
        if (client == 0 && i % 4 == 3) engine.unload("net");
        pending.result();
        ++answered;
      } catch (const Error&) {
        ++refused;
      }
    }
  });
  CHECK(answered + refused == 40);
}

TEST_CASE("an evaluation may release the last reference to its engine") {
  for (const int threads : {1, 2}) {
    auto engine = std::make_shared<Engine>(EngineOptions{.threads = threads});
    const auto release = [&] {
      gate.pass();
      engine.reset();
    };
    engine->register_model("net", gated(std::make_shared<GatedBackend>(release)), {},
                           {.max_batch_size = 4, .max_delay = long_delay});
    gate.close();
    std::vector<PendingAnswer> pending;
    for (int i = 0; i < 5; ++i) pending.push_back(engine->infer_async("net", request_of(i)));
    gate.open();
    for (std::size_t i = 0; i < 4; ++i) CHECK(pending[i].result().contains("y"));
    // The end of the engine fails the last request, unless another thread has begun to run it.
    try {
      CHECK(pending[4].result().contains("y"));
      CHECK(threads == 2);
    } catch (const BackendError& error) {
      CHECK(error.code() == "E1208");
    }
    CHECK(!engine);
  }
}

}  // namespace mithril::tests
