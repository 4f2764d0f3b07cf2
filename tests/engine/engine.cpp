// Models of an engine: names, replacement, queues, deadlines, memory.
#include "mithril/engine/engine.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/engine/served_models.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

using Clock = std::chrono::steady_clock;

// With these options a request waits in its queue for a batch that does not fill up.
ServingOptions waiting_options(size_t max_queue = 8) {
  return {.max_batch_size = 64, .max_delay = long_delay, .max_queue = max_queue};
}

struct Served {
  explicit Served(EngineOptions options = {}) : engine(options) {}
  const CompiledModel compiled = served_perceptron();
  const TensorMap params = compiled.get_parameters();
  Engine engine;
  void add(const std::string& name, ServingOptions options = {}) {
    engine.register_model(name, compiled, params, options);
  }
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("an engine answers as evaluate does, and describes its models") {
  Served served;
  served.add("net");
  CHECK(are_close(served.engine.infer("net", request_of(1, 5)),
                  served.compiled.evaluate(served.params, request_of(1, 5))));
  CHECK(served.engine.list_models() == std::vector<std::string>{"net"});
  const ServedModelInfo info = served.engine.model_info("net");
  CHECK(info.name == "net");
  CHECK(info.backend == "cpu");
  CHECK(info.inputs.size() == 1);
  CHECK(info.inputs[0].name == "x");
  CHECK(info.inputs[0].dtype == DType::float32);
  CHECK(to_string(*info.inputs[0].shape) == "[N, 3]");
  CHECK(to_string(*info.outputs[0].shape) == "[N, 4]");
  CHECK(info.loaded);
  CHECK(info.bytes == (8 * 3 + 8 + 4 * 8 + 4) * 4);
  CHECK(served.engine.memory() == info.bytes);
  const ServingStats stats = served.engine.stats("net");
  CHECK(stats.requests == 1);
  CHECK(stats.answered == 1);
  CHECK(stats.calls == 1);
  CHECK(stats.rows == 1);
}

TEST_CASE("an unknown model is an error with the registered names, nearest first") {
  Served served;
  for (const char* name : {"gpt", "minilm", "resnet"}) served.add(name);
  CHECK(text_of_error([&] { served.engine.infer("minlim", request_of(1)); }) ==
        "mithril.NameError[E1201]: there is no model 'minlim'\n"
        "  known : minilm, gpt, resnet\n"
        "  help: did you mean 'minilm'?");
  CHECK(first_line(text_of_error([&] { served.engine.unload("gtp"); })) ==
        "mithril.NameError[E1201]: there is no model 'gtp'");
}

TEST_CASE("inputs that do not fit are errors that name them") {
  Served served;
  served.add("net");
  CHECK(first_line(text_of_error([&] { served.engine.infer("net", {}); })) ==
        "mithril.InputError[E0801]: the request lacks x");
  TensorMap more = request_of(1);
  more["z"] = Tensor();
  CHECK(first_line(text_of_error([&] { served.engine.infer("net", more); })) ==
        "mithril.InputError[E0802]: the request: there is no data input 'z'");
  CHECK(first_line(text_of_error([&] {
          served.engine.infer("net", {{"x", Tensor(DType::int64, {1, 3})}});
        })) == "mithril.InputError[E0805]: 'x' is int64, expected float32");
  CHECK(served.engine.stats("net").failed == 3);
}

TEST_CASE("a full queue is an error at once") {
  Served served;
  served.add("net", waiting_options(2));
  const PendingAnswer first = served.engine.infer_async("net", request_of(1));
  const PendingAnswer second = served.engine.infer_async("net", request_of(2));
  CHECK(text_of_error([&] { served.engine.infer("net", request_of(3)); }) ==
        "mithril.BackendError[E1203]: the queue of model 'net' is full\n"
        "  max_queue : 2\n"
        "  help: send the request again later");
  CHECK(served.engine.stats("net").rejected == 1);
  CHECK(served.engine.stats("net").waiting == 2);
}

TEST_CASE("a request fails at its deadline") {
  Served served;
  served.add("net", waiting_options());
  const InferOptions soon{.deadline = Clock::now() + std::chrono::milliseconds(5)};
  CHECK(text_of_error([&] { served.engine.infer("net", request_of(1), soon); }) ==
        "mithril.BackendError[E1205]: a request to model 'net' was not answered by its deadline");
  served.add("direct");
  CHECK(text_of_error([&] {
          served.engine.infer("direct", request_of(1), soon);
        }).starts_with("mithril.BackendError[E1205]"));
  CHECK(served.engine.stats("net").expired == 1);
}

TEST_CASE("a request that waits can be cancelled") {
  Served served;
  served.add("net", waiting_options());
  std::stop_source source;
  const InferOptions options{.cancellation = source.get_token()};
  PendingAnswer first = served.engine.infer_async("net", request_of(1), options);
  PendingAnswer second = served.engine.infer_async("net", request_of(2));
  source.request_stop();
  second.cancel();
  CHECK(text_of_error([&] { first.result(); }) ==
        "mithril.BackendError[E1206]: a request to model 'net' was cancelled");
  CHECK(text_of_error([&] { second.result(); }).starts_with("mithril.BackendError[E1206]"));
  CHECK(served.engine.stats("net").cancelled == 2);
}

TEST_CASE("unloading fails the requests that wait") {
  Served served;
  served.add("net", waiting_options());
  PendingAnswer pending = served.engine.infer_async("net", request_of(1));
  served.engine.unload("net");
  CHECK(text_of_error([&] { pending.result(); }) ==
        "mithril.BackendError[E1207]: model 'net' was unloaded while a request was waiting");
  CHECK(served.engine.list_models().empty());
  CHECK(served.engine.memory() == 0);
}

TEST_CASE("shutting down answers accepted requests and refuses others") {
  Served served;
  served.add("net", waiting_options());
  PendingAnswer pending = served.engine.infer_async("net", request_of(1));
  served.engine.shut_down();
  CHECK(pending.done());
  CHECK(pending.result().at("y").dims() == Dims{1, 4});
  CHECK(text_of_error([&] { served.engine.infer("net", request_of(1)); }) ==
        "mithril.BackendError[E1208]: the engine was shut down");
}

TEST_CASE("requests that a replaced model has accepted finish on it") {
  Served served;
  served.add("net", waiting_options());
  PendingAnswer old = served.engine.infer_async("net", request_of(1));
  const TensorMap others = served.compiled.get_parameters(9);
  served.engine.register_model("net", served.compiled, others);
  CHECK(are_close(served.engine.infer("net", request_of(1)),
                  served.compiled.evaluate(others, request_of(1))));
  served.engine.shut_down();
  CHECK(are_close(old.result(), served.compiled.evaluate(served.params, request_of(1))));
  CHECK(served.engine.stats("net").answered == 2);
}

TEST_CASE("the least recently used model that can be loaded again is evicted first") {
  const CompiledModel compiled = served_perceptron();
  const std::int64_t size = (8 * 3 + 8 + 4 * 8 + 4) * 4;
  Engine engine({.memory_limit = 2 * size});
  std::atomic<int> loads = 0;
  const auto loader = [&](std::uint64_t seed) {
    return [&, seed] {
      ++loads;
      return ServableModel{compiled, compiled.get_parameters(seed)};
    };
  };
  engine.register_model("a", loader(1));
  engine.register_model("b", loader(2));
  engine.infer("a", request_of(1));
  engine.register_model("c", loader(3));
  CHECK(engine.model_info("a").loaded);
  CHECK(!engine.model_info("b").loaded);
  CHECK(engine.memory() == 2 * size);
  CHECK(are_close(engine.infer("b", request_of(1)),
                  compiled.evaluate(compiled.get_parameters(2), request_of(1))));
  CHECK(!engine.model_info("a").loaded);
  CHECK(loads == 4);
  CHECK(engine.stats("b").loads == 2);
}

TEST_CASE("a model that does not fit into the memory limit is refused") {
  const CompiledModel compiled = served_perceptron();
  Engine engine({.memory_limit = 300});
  engine.register_model("a", compiled, compiled.get_parameters());
  CHECK(text_of_error([&] { engine.register_model("b", compiled, compiled.get_parameters()); }) ==
        "mithril.OutOfMemoryError[E1209]: model 'b' needs more memory than the engine may use\n"
        "  needed       : 272 B\n"
        "  in use       : 272 B\n"
        "  memory_limit : 300 B\n"
        "  help: unload a model; those that were registered with a loader are evicted by need");
  CHECK(engine.list_models() == std::vector<std::string>{"a"});
}

TEST_CASE("options out of range are errors") {
  Served served;
  CHECK(text_of_error([&] { served.add("net", {.max_batch_size = 0}); }) ==
        "mithril.ValueError[E1223]: register_model: max_batch_size is 0, expected at least 1");
  CHECK(text_of_error([] { const Engine engine({.threads = -1}); }) ==
        "mithril.ValueError[E1223]: Engine: threads is -1, expected at least 0");
}

}  // namespace mithril::tests
