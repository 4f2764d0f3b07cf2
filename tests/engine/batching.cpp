// Requests that share an evaluation.
#include <doctest/doctest.h>

#include <thread>

#include "mithril/models/embedding.hpp"
#include "tests/engine/served_models.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

TensorMap tokens_of(std::vector<float> tokens) {
  const Dims dims{1, static_cast<std::int64_t>(tokens.size())};
  return {{"tokens", Tensor::of<float>(dims, tokens)},
          {"mask", Tensor::full(DType::float32, dims, 1)}};
}

}  // namespace

TEST_CASE("64 requests with batches of 32 make 2 evaluations with the answers of single ones") {
  const CompiledModel compiled = served_perceptron();
  const TensorMap params = compiled.get_parameters(3);
  Engine engine;
  engine.register_model("net", compiled, params, {.max_batch_size = 32, .max_delay = long_delay});
  std::vector<TensorMap> requests;
  for (int i = 0; i < 64; ++i) requests.push_back(request_of(i));
  const std::vector<InferResult> results = engine.infer_batch("net", requests);
  CHECK(engine.stats("net").calls == 2);
  CHECK(engine.stats("net").rows == 64);
  CHECK(engine.stats("net").answered == 64);
  for (size_t i = 0; i < results.size(); ++i) {
    REQUIRE(!results[i].error);
    CHECK(are_close(results[i].outputs, compiled.evaluate(params, requests[i])));
  }
}

TEST_CASE("requests of several rows share a batch, and longer ones run alone") {
  const CompiledModel compiled = served_perceptron();
  const TensorMap params = compiled.get_parameters(3);
  Engine engine;
  engine.register_model("net", compiled, params, {.max_batch_size = 8, .max_delay = long_delay});
  std::vector<TensorMap> requests;
  for (const std::int64_t rows : {3, 0, 5, 11}) requests.push_back(request_of(1, rows));
  const std::vector<InferResult> results = engine.infer_batch("net", requests);
  for (size_t i = 0; i < results.size(); ++i) {
    REQUIRE(!results[i].error);
    CHECK(are_close(results[i].outputs, compiled.evaluate(params, requests[i])));
  }
  CHECK(engine.stats("net").calls == 2);
}

TEST_CASE("a batch that does not fill up runs after the delay") {
  const CompiledModel compiled = served_perceptron();
  const TensorMap params = compiled.get_parameters();
  Engine engine;
  engine.register_model("net", compiled, params,
                        {.max_batch_size = 64, .max_delay = std::chrono::milliseconds(1)});
  CHECK(are_close(engine.infer("net", request_of(1)), compiled.evaluate(params, request_of(1))));
}

TEST_CASE("requests of different lengths are padded to the longest, and answers are cut") {
  const CompiledModel compiled = served_pooling();
  Engine engine;
  engine.register_model("pool", compiled, {},
                        {.max_batch_size = 3,
                         .max_delay = long_delay,
                         .mask = "mask",
                         .padding = {{"tokens", 100}},
                         .max_padding = 0.5});
  std::vector<TensorMap> requests;
  requests.push_back(tokens_of({1, 2}));
  requests.push_back(tokens_of({3, 4, 5, 6}));
  requests.push_back(tokens_of({7}));
  const std::vector<InferResult> results = engine.infer_batch("pool", requests);
  CHECK(engine.stats("pool").calls == 1);
  for (size_t i = 0; i < results.size(); ++i) {
    REQUIRE(!results[i].error);
    CHECK(are_close(results[i].outputs, compiled.evaluate({}, requests[i])));
  }
}

TEST_CASE("a batch has the requests of the nearest lengths, and little padding") {
  const CompiledModel compiled = served_pooling();
  Engine engine;
  engine.register_model(
      "pool", compiled, {},
      {.max_batch_size = 6, .max_delay = std::chrono::seconds(2), .mask = "mask"});
  std::vector<TensorMap> requests;
  for (const size_t length : {9, 100, 10, 99, 10, 100})
    requests.push_back(tokens_of(std::vector<float>(length, 1)));
  const std::vector<InferResult> results = engine.infer_batch("pool", requests);
  for (size_t i = 0; i < results.size(); ++i) {
    REQUIRE(!results[i].error);
    CHECK(are_close(results[i].outputs, compiled.evaluate({}, requests[i])));
  }
  CHECK(engine.stats("pool").calls == 2);
}

TEST_CASE("without a mask only requests of equal sizes share a batch") {
  Engine engine;
  engine.register_model("pool", served_pooling(), {},
                        {.max_batch_size = 2, .max_delay = std::chrono::seconds(2)});
  std::vector<TensorMap> requests;
  requests.push_back(tokens_of({1, 2}));
  requests.push_back(tokens_of({3, 4, 5}));
  requests.push_back(tokens_of({6, 7}));
  const std::vector<InferResult> results = engine.infer_batch("pool", requests);
  CHECK(engine.stats("pool").calls == 2);
  CHECK(results[1].outputs.at("pooled").item() == 12);
  CHECK(results[2].outputs.at("pooled").item() == 13);
}

TEST_CASE("requests that cannot share a batch do not end its wait") {
  Engine engine;
  engine.register_model("pool", served_pooling(), {},
                        {.max_batch_size = 2, .max_delay = long_delay});
  std::vector<PendingAnswer> pending;
  pending.push_back(engine.infer_async("pool", tokens_of({1, 2})));
  pending.push_back(engine.infer_async("pool", tokens_of({3, 4, 5})));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(engine.stats("pool").calls == 0);
  pending.push_back(engine.infer_async("pool", tokens_of({6, 7})));
  pending.push_back(engine.infer_async("pool", tokens_of({8, 9, 10})));
  for (PendingAnswer& each : pending) each.result();
  CHECK(engine.stats("pool").calls == 2);
}

TEST_CASE("one bad request among good ones fails alone") {
  const CompiledModel compiled = served_perceptron();
  Engine engine;
  engine.register_model("net", compiled, compiled.get_parameters(),
                        {.max_batch_size = 3, .max_delay = long_delay});
  std::vector<TensorMap> requests;
  requests.push_back(request_of(1));
  requests.push_back({{"x", Tensor(DType::float32, {1, 4})}});
  requests.push_back(request_of(2));
  requests.push_back({{"y", Tensor(DType::float32, {1, 3})}});
  requests.push_back(request_of(3));
  const std::vector<InferResult> results = engine.infer_batch("net", requests);
  CHECK(text_of_error([&] { std::rethrow_exception(results[1].error); }) ==
        "mithril.InputError[E0804]: 'x' has 4 in dim 1, expected 3\n"
        "  expected : [N, 3]\n"
        "  got      : [1, 4]");
  CHECK(results[3].error);
  for (const size_t i : {0, 2, 4}) CHECK(results[i].outputs.at("y").dims() == Dims{1, 4});
  CHECK(engine.stats("net").calls == 1);
  CHECK(engine.stats("net").failed == 2);
}

TEST_CASE("a request that fails in its evaluation does not fail its batch") {
  Model model;
  model |= Embedding({.num_embeddings = 5, .dim = 2})({{"input", "word"}, {"output", "row"}});
  model.expose_keys({"row"});
  const CompiledModel compiled = compile(
      model, cpu(), {.shapes = {{"word", {"N"}}}, .data_keys = {"word"}, .inference = true});
  Engine engine;
  engine.register_model("words", compiled, compiled.get_parameters(),
                        {.max_batch_size = 3, .max_delay = long_delay});
  std::vector<TensorMap> requests;
  for (const std::int64_t word : {4, 5, 0})
    requests.push_back({{"word", Tensor::of<std::int64_t>({1}, {word})}});
  const std::vector<InferResult> results = engine.infer_batch("words", requests);
  CHECK(!results[0].error);
  CHECK(results[1].error);
  CHECK(!results[2].error);
}

TEST_CASE("models that cannot be batched are refused") {
  Engine engine;
  const CompiledModel fixed =
      compile(Linear({.dimension = 2}), cpu(), {.shapes = {{"input", {4, 3}}}, .inference = true});
  CHECK(text_of_error([&] {
          engine.register_model("net", fixed, fixed.get_parameters(), {.max_batch_size = 8});
        }) ==
        "mithril.ValueError[E1220]: the model cannot be batched: 'input' does not begin with the "
        "batch axis, whose size is a symbol\n"
        "  shape : [4, 3]\n"
        "  help: compile it with a symbol as the first size of each input, or register it with "
        "max_batch_size 1");
  Model mean;
  mean |= Model::op("mean")({{"input", "x"}, {"output", "y"}});
  const CompiledModel scalar =
      compile(mean, cpu(), {.shapes = {{"x", {"N", 3}}}, .inference = true});
  CHECK(text_of_error([&] {
          engine.register_model("net", scalar, {}, {.max_batch_size = 8});
        }).starts_with("mithril.ValueError[E1220]: the model cannot be batched: 'y' does"));
  CHECK(engine.list_models().empty());
}

TEST_CASE("an output whose size is computed from a padded one cannot be padded") {
  Model model;
  model |= Model::op("multiply")({{"left", "tokens"}, {"right", "mask"}, {"output", "scaled"}});
  model |= Model::op("concat")(
      {{"input", std::vector<Binding>{"scaled", "tokens"}}, {"axis", 1}, {"output", "twice"}});
  model.expose_keys({"twice"});
  const CompiledModel compiled = compile(model, cpu(),
                                         {.shapes = {{"tokens", {"N", "L"}}, {"mask", {"N", "L"}}},
                                          .data_keys = {"tokens", "mask"},
                                          .inference = true});
  Engine engine;
  CHECK(text_of_error([&] {
          engine.register_model("net", compiled, {}, {.max_batch_size = 8, .mask = "mask"});
        }) ==
        "mithril.ValueError[E1221]: the model cannot be padded: a size of 'twice' is computed from "
        "the padded one\n"
        "  shape : [N, 2*L]\n"
        "  help: register it without a mask");
  for (const std::int64_t rows : {1, 8}) {
    CHECK(text_of_error([&] {
            engine.register_model("net", compiled, {}, {.max_batch_size = rows, .mask = "msak"});
          }) ==
          "mithril.NameError[E1222]: there is no input for the mask 'msak'\n"
          "  known : tokens, mask\n"
          "  help: did you mean 'mask'?");
    CHECK(text_of_error([&] {
            engine.register_model("net", compiled, {},
                                  {.max_batch_size = rows, .padding = {{"token", 1.0}}});
          }) ==
          "mithril.NameError[E1222]: there is no input for padding 'token'\n"
          "  known : tokens, mask\n"
          "  help: did you mean 'tokens'?");
  }
}

}  // namespace mithril::tests
