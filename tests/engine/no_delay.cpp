// Requests that wait for no others: they run in the thread that calls while a thread of the engine
// is free, and share batches while none is.
#include <doctest/doctest.h>

#include <thread>

#include "tests/engine/gated_backend.hpp"
#include "tests/engine/served_models.hpp"

namespace mithril::tests {
namespace {

TensorMap answer_of(double number) {
  Tensor y = request_of(number).at("x").copy();
  for (float& each : y.mutable_values<float>()) each *= 2;
  return {{"y", y}};
}

std::vector<TensorMap> requests_of(int count) {
  std::vector<TensorMap> requests;
  for (int i = 0; i < count; ++i) requests.push_back(request_of(i));
  return requests;
}

}  // namespace

TEST_CASE("a request without a delay runs in the thread that calls") {
  Engine engine({.threads = 1});
  engine.register_model("net", gated(), {}, {.max_batch_size = 8});
  engine.infer("net", request_of(1));
  CHECK(gate.thread() == std::this_thread::get_id());
  engine.register_model("waits", gated(), {},
                        {.max_batch_size = 8, .max_delay = std::chrono::milliseconds(1)});
  engine.infer("waits", request_of(1));
  CHECK(gate.thread() != std::this_thread::get_id());
  CHECK(engine.stats("net").calls == 1);
}

TEST_CASE("requests without a delay share a batch while all threads are busy") {
  Engine engine({.threads = 1});
  engine.register_model("net", gated(), {}, {.max_batch_size = 8});
  gate.close();
  std::thread busy([&] { engine.infer("net", request_of(0)); });
  gate.wait_for(1);
  std::vector<PendingAnswer> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(engine.infer_async("net", request_of(i)));
  TensorMap last;
  std::thread caller([&] { last = engine.infer("net", request_of(7)); });
  while (engine.stats("net").waiting < 6) std::this_thread::yield();
  gate.open();
  busy.join();
  caller.join();
  for (size_t i = 0; i < answers.size(); ++i)
    CHECK(are_close(answers[i].result(), answer_of(static_cast<double>(i))));
  CHECK(are_close(last, answer_of(7)));
  CHECK(engine.stats("net").calls == 2);
  CHECK(engine.stats("net").rows == 7);
}

TEST_CASE("the requests of one call share batches without a delay") {
  const CompiledModel compiled = served_perceptron();
  const TensorMap params = compiled.get_parameters(3);
  Engine engine;
  engine.register_model("net", compiled, params, {.max_batch_size = 32});
  const std::vector<TensorMap> requests = requests_of(64);
  const std::vector<InferResult> results = engine.infer_batch("net", requests);
  CHECK(engine.stats("net").calls == 2);
  for (size_t i = 0; i < results.size(); ++i) {
    REQUIRE(!results[i].error);
    CHECK(are_close(results[i].outputs, compiled.evaluate(params, requests[i])));
  }
}

TEST_CASE("a call with more requests than may wait answers all of them") {
  Engine engine;
  engine.register_model("net", gated(), {}, {.max_batch_size = 2, .max_queue = 5});
  for (const InferResult& result : engine.infer_batch("net", requests_of(12))) CHECK(!result.error);
  CHECK(engine.stats("net").answered == 12);
  CHECK(engine.stats("net").rejected == 0);
}

}  // namespace mithril::tests
