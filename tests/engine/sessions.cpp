// Sessions: the state that a client keeps between its requests.
#include <doctest/doctest.h>

#include <thread>

#include "backends/cpu/cpu.hpp"
#include "examples/models/gpt2.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/engine/engine.hpp"
#include "mithril/tensor/functions.hpp"
#include "tests/engine/served_models.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

const gpt2::Config served_gpt2{
    .vocab_size = 61, .n_positions = 32, .n_embd = 24, .n_layer = 2, .n_head = 3};

CompiledModel compiled_text_model(std::optional<int64_t> limit) {
  return compile(gpt2::model(served_gpt2, limit), cpu(),
                 {.shapes = {{"input_ids", {1, any}}}, .inference = true});
}

TensorMap tokens_request(const CompiledModel& model, std::vector<int64_t> tokens) {
  const Dims dims{1, static_cast<int64_t>(tokens.size())};
  TensorMap request{{"input_ids", Tensor::of<int64_t>(dims, tokens)}};
  for (const std::string& key : model.data_keys()) {
    if (key == "attention_mask") request[key] = Tensor::full(DType::boolean, dims, 1);
  }
  return request;
}

Tensor last_row(const Tensor& logits) { return slice(logits, 1, -1, logits.dims()[1]); }

}  // namespace

TEST_CASE("a session continues where its last request ended, beside other sessions") {
  const CompiledModel cached = compiled_text_model(12), whole = compiled_text_model({});
  const TensorMap params = whole.get_parameters(7);
  Engine engine;
  engine.register_model("gpt2", ServableModel{cached, params.share(), cached.initial_state_dict()});
  CHECK(!engine.model_info("gpt2").states.empty());
  const std::string one = engine.open_session("gpt2"), two = engine.open_session("gpt2");
  CHECK(one != two);
  engine.infer("gpt2", tokens_request(cached, {5, 17, 3}), {.session = one});
  engine.infer("gpt2", tokens_request(cached, {44, 2}), {.session = two});
  const TensorMap next = engine.infer("gpt2", tokens_request(cached, {29}), {.session = one});
  const TensorMap expected = whole.evaluate(params, tokens_request(whole, {5, 17, 3, 29}));
  CHECK(allclose(last_row(next.at("logits")), last_row(expected.at("logits")), {1e-4, 1e-5}));
  CHECK(engine.stats("gpt2").sessions == 2);
  // Without a session each request starts anew.
  const TensorMap fresh = engine.infer("gpt2", tokens_request(cached, {29}));
  const TensorMap alone = whole.evaluate(params, tokens_request(whole, {29}));
  CHECK(allclose(last_row(fresh.at("logits")), last_row(alone.at("logits")), {1e-4, 1e-5}));
  engine.close_session("gpt2", one);
  CHECK(engine.stats("gpt2").sessions == 1);
  CHECK(text_of_error(
            [&] { engine.infer("gpt2", tokens_request(cached, {29}), {.session = one}); }) ==
        "mithril.NameError[E1202]: there is no session 'session-0' of model 'gpt2'\n"
        "  help: open_session begins one; it ends when it was not used for session_age");
}

TEST_CASE("sessions are limited in number and in age") {
  const CompiledModel cached = compiled_text_model(4);
  const auto served = [&] {
    return ServableModel{cached, cached.get_parameters(), cached.initial_state_dict()};
  };
  Engine engine({.max_sessions = 1, .session_age = std::chrono::hours(1)});
  engine.register_model("gpt2", served());
  engine.open_session("gpt2");
  CHECK(text_of_error([&] { engine.open_session("gpt2"); }) ==
        "mithril.BackendError[E1204]: there is no place for another session of model 'gpt2'\n"
        "  max_sessions : 1\n"
        "  help: close sessions");
  Engine forgetful({.max_sessions = 1, .session_age = std::chrono::milliseconds(1)});
  forgetful.register_model("gpt2", served());
  const std::string first = forgetful.open_session("gpt2");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(forgetful.open_session("gpt2") != first);
}

TEST_CASE("an error after a write to the state closes the session, and earlier ones do not") {
  Model model;
  model |= Model::op("add")({{"left", "x"}, {"right", "total"}, {"output", "sum"}});
  model.bind_state_keys("total", "sum", Tensor::of<float>({2}, {10, 20}));
  model |= Model::op("gather")({{"input", "sum"}, {"index", "at"}, {"axis", 0}, {"output", "y"}});
  const CompiledModel compiled =
      compile(model, cpu(),
              {.shapes = {{"x", {2}}, {"at", {1}}}, .data_keys = {"x", "at"}, .inference = true});
  Engine engine;
  engine.register_model("sum", compiled);
  const std::string id = engine.open_session("sum");
  const auto sum_at = [&](int64_t at) {
    const TensorMap request = {{"x", Tensor::of<float>({2}, {1, 1})},
                               {"at", Tensor::of<int64_t>({1}, {at})}};
    return engine.infer("sum", request, {.session = id}).at("y").item();
  };
  CHECK(sum_at(1) == 21);
  CHECK_THROWS_AS(engine.infer("sum", {}, {.session = id}), InputError);
  CHECK(sum_at(1) == 22);
  CHECK(text_of_error([&] {
          sum_at(5);
        }).ends_with("\n  donated  : some inputs have been written to"));
  CHECK(text_of_error([&] { sum_at(1); }).starts_with("mithril.NameError[E1202]"));
}

TEST_CASE("a model without state has no sessions") {
  const CompiledModel compiled = served_perceptron();
  Engine engine;
  engine.register_model("net", compiled, compiled.get_parameters());
  CHECK(text_of_error([&] { engine.open_session("net"); }) ==
        "mithril.StateError[E1210]: model 'net' has no state that a session could keep");
}

}  // namespace mithril::tests
