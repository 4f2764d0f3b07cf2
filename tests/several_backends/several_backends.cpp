// One model on several backends: the results of one backend, and what crosses.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/skip.hpp"
#include "tests/table/compare.hpp"

namespace mithril {
namespace {

using tests::has_torch, tests::skip_without_torch, tests::text_of_error;

// Two linear layers with a norm and a dropout between them, and a loss. A bias before the norm
// would have a gradient of rounding alone.
Model placed_network() {
  Model model;
  model |= Linear({.dimension = 6, .use_bias = false})
               .named("body")({{"input", "x"}, {"output", "wide"}});
  model |= BatchNorm1D().named("norm")({{"input", "wide"}, {"output", "even"}});
  model |= Relu()({{"input", "even"}, {"output", "active"}});
  model |= Dropout({.p = 0.25}).named("drop")({{"input", "active"}, {"output", "dropped"}});
  model |= Linear({.dimension = 3}).named("head")({{"input", "dropped"}, {"output", "scores"}});
  model |= CrossEntropy()({{"input", "scores"}, {"target", "classes"}, {"output", "losses"}});
  model |= Mean()({{"input", "losses"}, {"output", "loss"}});
  model.expose_keys({"scores", "loss"});
  return model;
}

const CompileOptions& placed_options() {
  static const CompileOptions options{.shapes = {{"x", {any, 4}}, {"classes", {any}}},
                                      .data_keys = {"x", "classes"}};
  return options;
}

TensorMap placed_data(int64_t rows) {
  Tensor x(DType::float32, {rows, 4}), classes(DType::int64, {rows});
  float next = -1;
  for (float& value : x.mutable_values<float>()) value = next = next > 1 ? -0.9F : next + 0.37F;
  for (int64_t i = 0; i < rows; ++i) classes.mutable_data<int64_t>()[i] = i % 3;
  return {{"x", x}, {"classes", classes}};
}

const OutputGradients& loss_gradient() {
  static const OutputGradients one{{"loss", Tensor::scalar(1.0F)}};
  return one;
}

void check_close(const TensorMap& got, const TensorMap& expected, double tolerance) {
  CHECK(got.keys() == expected.keys());
  for (const auto& [key, tensor] : expected) {
    const std::string name = key;
    CAPTURE(name);
    CHECK(tests::difference(got.at(key).host(), tensor.host(), tolerance) == "");
  }
}

// A backend that runs on another one and keeps where the elements of its tensors are.
struct Placed {
  std::set<const void*> made, given;
  std::vector<const void*> received;
};

class WatchedBackend final : public Backend {
 public:
  WatchedBackend(std::shared_ptr<Backend> inner, Placed& placed)
      : inner_(std::move(inner)), placed_(placed) {}
  std::string_view name() const override { return inner_->name(); }
  DType default_dtype() const override { return inner_->default_dtype(); }
  std::vector<std::string> missing(const Graph& graph) const override {
    return inner_->missing(graph);
  }
  Tensor adopt(const Tensor& tensor, bool parameter) const override {
    return inner_->adopt(tensor, parameter);
  }
  Tensor receive(const Tensor& tensor) const override {
    placed_.received.push_back(tensor.raw_data());
    return inner_->receive(tensor);
  }
  Tensor own(const Tensor& tensor) const override { return inner_->own(tensor); }

  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    struct Watched final : Executable {
      Watched(std::unique_ptr<Executable> inner, Placed& placed)
          : inner_(std::move(inner)), placed_(placed) {}
      std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
        for (const Tensor& tensor : inputs) placed_.given.insert(tensor.raw_data());
        std::vector<Tensor> made = inner_->run(inputs);
        for (const Tensor& tensor : made) placed_.made.insert(tensor.host().raw_data());
        return made;
      }
      std::unique_ptr<Executable> inner_;
      Placed& placed_;
    };
    return std::make_unique<Watched>(inner_->load(graph, options), placed_);
  }

 private:
  std::shared_ptr<Backend> inner_;
  Placed& placed_;
};

// Returns all combinations of two backends of this build.
std::vector<Backends> placements() {
  std::vector<Backends> all{{{"", cpu()}, {"head", cpu({.reference = true})}},
                            {{"", cpu({.reference = true})}, {"body", cpu()}, {"norm", cpu()}}};
  if (!has_torch()) return all;
  all.push_back({{"", torch()}, {"head", cpu()}});
  all.push_back({{"", cpu()}, {"norm", torch()}});
  all.push_back({{"", torch()}, {"body", cpu()}, {"head", cpu({.reference = true})}});
  return all;
}

}  // namespace

TEST_CASE("outputs, gradients and states on several backends are those of one") {
  const CompiledModel one = compile(placed_network(), cpu(), placed_options());
  const TensorMap params = one.get_parameters();
  for (const Backends& backends : placements()) {
    const CompiledModel several = compile(placed_network(), backends, placed_options());
    CAPTURE(several.summary());
    check_close(several.get_parameters(), params, 0);
    State state = one.initial_state_dict(), expected_state = one.initial_state_dict();
    for (int64_t rows = 5; rows < 8; ++rows) {
      const TensorMap data = placed_data(rows);
      const auto [outputs, gradients, next] =
          several.evaluate(several.get_parameters(), data, loss_gradient(), state);
      const auto [expected, expected_gradients, expected_next] =
          one.evaluate(params, data, loss_gradient(), expected_state);
      check_close(outputs, expected, 1e-5);
      check_close(gradients, expected_gradients, 1e-4);
      check_close(next, expected_next, 1e-5);
      state = next;
      expected_state = expected_next;
    }
    const TensorMap data = placed_data(4);
    check_close(several.infer(params, data, state), one.infer(params, data, expected_state), 1e-5);
    check_close(several.bind(params, state).evaluate({}, data),
                one.bind(params, expected_state).evaluate({}, data), 1e-5);
  }
}

TEST_CASE("threads evaluate one model on several backends") {
  for (const Backends& backends : placements()) {
    const CompiledModel compiled = compile(placed_network(), backends, placed_options());
    const TensorMap params = compiled.get_parameters();
    const State state = compiled.initial_state_dict();
    std::vector<TensorMap> expected;
    for (int64_t rows = 4; rows < 8; ++rows)
      expected.push_back(compiled.evaluate(params, placed_data(rows), state).first);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int64_t call = 0; call < 10; ++call) {
          const int64_t at = (thread + call) % 4;
          const auto [outputs, gradients, next] =
              compiled.evaluate(params, placed_data(4 + at), loss_gradient(), state);
          const Tensor loss = outputs.at("loss").host();
          if (!tests::difference(loss, expected[static_cast<size_t>(at)].at("loss").host(), 1e-6)
                   .empty())
            ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("gradients own their elements") {
  Model model;
  model |= Model::op("add")({{"left", "a"}, {"right", "b"}, {"output", "sum"}});
  model |= Model::op("multiply")({{"left", "sum"}, {"right", "c"}, {"output", "y"}});
  for (const Backends& backends :
       {Backends{{"", cpu()}, {"multiply", cpu({.threads = 1})}},
        Backends{{"", has_torch() ? torch() : cpu({.threads = 2})}, {"multiply", cpu()}}}) {
    const CompiledModel compiled = compile(
        model, backends,
        {.shapes = {{"a", {2}}, {"b", {2}}, {"c", {2}}}, .trainable_keys = {"a", "b", "c"}});
    const Tensor one = Tensor::full(DType::float32, {2}, 1);
    const TensorMap params{{"a", one.copy()}, {"b", one.copy()}, {"c", one.copy()}};
    const Tensor incoming = one.copy();
    auto gradients = compiled.evaluate(params, {}, {{"y", incoming}}).second;
    std::set<const void*> places{incoming.raw_data()};
    for (const auto& [key, tensor] : params) places.insert(tensor.raw_data());
    for (const auto& [key, tensor] : gradients) {
      const std::string name = key;
      CAPTURE(name);
      CHECK(places.insert(tensor.host().raw_data()).second);
    }
  }
}

TEST_CASE("tensors cross between backends without a copy") {
  std::vector<std::pair<std::shared_ptr<Backend>, std::shared_ptr<Backend>>> pairs{
      {cpu(), cpu({.threads = 1})}};
  if (has_torch()) {
    pairs.emplace_back(torch(), cpu());
    pairs.emplace_back(cpu(), torch());
  }
  for (const auto& [first, second] : pairs) {
    Placed one, other;
    const CompiledModel compiled =
        compile(placed_network(),
                {{"", std::make_shared<WatchedBackend>(first, one)},
                 {"head", std::make_shared<WatchedBackend>(second, other)}},
                placed_options());
    const TensorMap params = compiled.get_parameters();
    const State state = compiled.initial_state_dict();
    one = other = {};
    compiled.evaluate(params, placed_data(5), state);
    const auto crosses = [](const Placed& from, const Placed& to) {
      return std::any_of(from.made.begin(), from.made.end(),
                         [&](const void* at) { return to.given.contains(at); });
    };
    CHECK(crosses(one, other));
    CHECK(crosses(other, one));
    CHECK(other.given.contains(params.at("head.weight").raw_data()));
  }
}

TEST_CASE("a value that several segments of a backend read crosses once") {
  Model model;
  model |= Relu().named("first")({{"input", "x"}, {"output", "v"}});
  model |= Relu().named("there")({{"input", "v"}, {"output", "b"}});
  model |= Relu().named("back")({{"input", "b"}, {"output", "a"}});
  model |= Model::op("add").named("again")({{"left", "a"}, {"right", "v"}, {"output", "y"}});
  Placed here, there;
  const auto other = std::make_shared<WatchedBackend>(cpu(), there);
  const CompiledModel compiled = compile(
      model,
      {{"", std::make_shared<WatchedBackend>(cpu(), here)}, {"there", other}, {"again", other}},
      {.shapes = {{"x", {64}}}, .data_keys = {"x"}, .optimization_level = OptimizationLevel::none});
  here = there = {};
  compiled.evaluate({}, {{"x", Tensor::full(DType::float32, {64}, 1)}});
  CHECK(there.received.size() == 2);  // v and a
  CHECK(std::set(there.received.begin(), there.received.end()).size() == 2);
}

TEST_CASE("hooks observe and replace values on any of several backends") {
  const CompiledModel one = compile(placed_network(), cpu(), placed_options());
  const TensorMap params = one.get_parameters(), data = placed_data(5);
  for (const Backends& backends : placements()) {
    std::vector<TensorMap> results;
    std::vector<std::string> calls;
    for (CompiledModel compiled : {one, compile(placed_network(), backends, placed_options())}) {
      std::string called;
      for (const char* path : {"wide", "scores", "norm.running_mean"}) {
        compiled.register_hook(
            path, [&called, path](const Tensor&) { called += std::string(path) + " "; });
      }
      compiled.register_hook("wide", [](const Tensor& value) {
        return Tensor::full(value.dtype(), value.dims(), 0.5);
      });
      compiled.register_hook("scores", [&](const Tensor&) { called += "gradient "; },
                             {.gradient = true});
      auto [outputs, gradients, next] =
          compiled.evaluate(params, data, loss_gradient(), one.initial_state_dict());
      results.push_back(std::move(outputs));
      calls.push_back(called);
    }
    check_close(results[1], results[0], 1e-5);
    CHECK(calls[1].size() == calls[0].size());
    CHECK(calls[1].ends_with("scores gradient "));
  }
}

TEST_CASE("training steps on several backends are those of one") {
  const CompiledModel one = compile(placed_network(), cpu(), placed_options());
  for (const Backends& backends : placements()) {
    const CompiledModel several = compile(placed_network(), backends, placed_options());
    CAPTURE(several.summary());
    TensorMap params = one.get_parameters(), expected = params.copy();
    Adam adam({.lr = 0.01}), other({.lr = 0.01});
    const TrainingOptions options{.max_norm = 0.5};
    TrainingStep step(several, adam, {{"loss", Tensor::scalar(1.0F)}}, options);
    TrainingStep expected_step(one, other, {{"loss", Tensor::scalar(1.0F)}}, options);
    for (int64_t rows = 5; rows < 15; ++rows) {
      const TensorMap data = placed_data(rows);
      check_close(step(params, data), expected_step(expected, data), 1e-4);
    }
    check_close(params, expected, 1e-4);
    check_close(step.state(), expected_step.state(), 1e-4);
    check_close(adam.state_dict(), other.state_dict(), 1e-4);
  }
}

TEST_CASE("checkpointing, mixed precision and short names work on several backends") {
  CompileOptions options = placed_options();
  options.use_checkpointing = true;
  options.use_short_namings = true;
  const TensorMap data = placed_data(6);
  // A value in 16 bits that crosses is rounded to them.
  for (const auto& [mixed, tolerance] : {std::pair(false, 1e-5), std::pair(true, 1e-2)}) {
    const auto main = cpu({.use_amp = mixed});
    const CompiledModel one = compile(placed_network(), main, options);
    const CompiledModel several = compile(
        placed_network(), {{"", main}, {"head", cpu({.threads = 1, .use_amp = mixed})}}, options);
    const TensorMap params = one.get_parameters();
    const auto [outputs, gradients, next] =
        several.evaluate(params, data, loss_gradient(), several.initial_state_dict());
    const auto [expected, expected_gradients, expected_next] =
        one.evaluate(params, data, loss_gradient(), one.initial_state_dict());
    check_close(outputs, expected, tolerance);
    check_close(gradients, expected_gradients, tolerance);
  }
}

TEST_CASE("the summary shows the backend of each part and the values that cross") {
  CompileOptions options = placed_options();
  options.shapes = {{"x", {8, 4}}, {"classes", {8}}};
  options.inference = true;
  const std::string text =
      compile(placed_network(), {{"", cpu()}, {"head", cpu({.reference = true})}}, options)
          .summary();
  CAPTURE(text);
  const auto has = [&](const std::string& line) {
    CAPTURE(line);
    CHECK(text.find(line + "\n") != std::string::npos);
  };
  has("all other parts run on cpu");
  has("head runs on cpu");
  has("crossing from cpu (1) to cpu (2): dropped, float32[8, 6], 192 B, shared");
  has("crossing from cpu (2) to cpu (1): scores, float32[8, 3], 96 B, shared");
  has("2 values cross between backends in each evaluation, 288 B");
}

TEST_CASE("the summary shows the gradients that cross") {
  CompileOptions options = placed_options();
  options.shapes = {{"x", {8, 4}}, {"classes", {8}}};
  const Backends backends{{"", cpu()}, {"head", cpu({.reference = true})}};
  const std::string text = compile(placed_network(), backends, options).summary();
  CAPTURE(text);
  const auto has = [&](const std::string& line) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  };
  has("2 values cross between backends in each evaluation, 288 B\n");
  // The gradients of the scores, of the input of the head, of its weight and of its bias.
  has("gradients: crossing from cpu (1) to cpu (2): grad.");
  std::string gradients;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("gradients: ")) gradients += line + "\n";
  }
  CHECK(gradients.find(", float32[8, 3], 96 B, shared\n") != std::string::npos);
  CHECK(gradients.find(", float32[8, 6], 192 B, shared\n") != std::string::npos);
  has("gradients: crossing from cpu (2) to cpu (1): head.weight.grad, float32[3, 6], 72 B, "
      "shared\n");
  has("gradients: crossing from cpu (2) to cpu (1): head.bias.grad, float32[3], 12 B, shared\n");
  has("4 more values cross with gradients, 372 B\n");
  options.inference = true;
  CHECK(compile(placed_network(), backends, options).summary().find("gradients: ") ==
        std::string::npos);
}

TEST_CASE("the longest path of a part decides on which backend it runs") {
  Model inner;
  inner |= Relu().named("first")({{"input", "a"}, {"output", "b"}});
  inner |= Relu().named("second")({{"input", "b"}, {"output", "c"}});
  inner.expose_keys({"c"});
  Model outer;
  outer |= inner.named("block")({{"a", "x"}, {"c", "h"}});
  outer |= Relu().named("last")({{"input", "h"}, {"output", "y"}});
  Placed rest, block, second;
  const CompiledModel compiled =
      compile(outer,
              {{"", std::make_shared<WatchedBackend>(cpu(), rest)},
               {"block", std::make_shared<WatchedBackend>(cpu(), block)},
               {"block.second", std::make_shared<WatchedBackend>(cpu(), second)}},
              {.shapes = {{"x", {2}}}, .trainable_keys = {"x"}});
  compiled.evaluate({{"x", Tensor::full(DType::float32, {2}, 1)}}, {});
  CHECK(rest.made.size() == 1);
  CHECK(block.made.size() == 1);
  CHECK(second.made.size() == 1);
}

}  // namespace mithril
