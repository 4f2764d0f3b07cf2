// Random numbers of different parts, seeds and evaluations are independent.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/random.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/attention.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/random.hpp"

namespace ml = mithril;

namespace mithril {
namespace {

constexpr int64_t count = 128 * 128, steps = 4;

struct Draw {
  std::string name;             // of the part, with its seed and step
  std::vector<double> numbers;  // of mean 0 and deviation 1
};

std::vector<double> standardised(const Tensor& tensor) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor.size(); ++i) numbers.push_back(tensor.at_as_double(i));
  const auto size = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / size;
  for (double& number : numbers) number -= mean;
  const double squares = std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0);
  for (double& number : numbers) number /= std::sqrt(squares / size);
  return numbers;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / static_cast<double>(a.size());
}

// Returns the outputs of several evaluations, each with the state of the previous one.
std::vector<Draw> draws(const Model& model, int64_t seed, const TensorMap& data = {}) {
  const CompiledModel compiled = compile(model, cpu());
  State state = compiled.initial_state_dict();
  std::vector<Draw> made;
  for (int64_t step = 0; step < steps; ++step) {
    auto [outputs, next] = compiled.evaluate(compiled.get_parameters(), data, state);
    state = std::move(next);
    for (const auto& [key, tensor] : outputs) {
      made.push_back({key + ", seed " + std::to_string(seed) + ", step " + std::to_string(step),
                      standardised(tensor)});
    }
  }
  return made;
}

void check_uncorrelated(const std::vector<Draw>& draws) {
  const double limit = 5 / std::sqrt(static_cast<double>(draws.front().numbers.size()));
  for (size_t i = 0; i < draws.size(); ++i) {
    INFO(draws[i].name);
    const std::vector<double>& numbers = draws[i].numbers;
    const std::vector<double> later(numbers.begin() + 1, numbers.end());
    CHECK(std::abs(correlation(later, numbers)) < limit);
    for (size_t j = 0; j < i; ++j) {
      INFO(draws[j].name);
      CHECK(std::abs(correlation(numbers, draws[j].numbers)) < limit);
    }
  }
}

// make(seed): a model whose outputs are random.
template <typename Make>
void check_streams(Make make, const TensorMap& data = {}) {
  std::vector<Draw> all;
  for (const int64_t seed : {-1, 0, 1, 2}) {
    for (Draw& draw : draws(make(seed), seed, data)) all.push_back(std::move(draw));
  }
  check_uncorrelated(all);
}

// The key that a dropout of this model starts from.
int64_t first_key(const Model& model, CompileOptions options = {}) {
  const CompiledModel compiled = compile(model, cpu(), std::move(options));
  REQUIRE(compiled.initial_state_dict().size() == 1);
  return compiled.initial_state_dict().begin()->tensor().data<int64_t>()[0];
}

Model around(Model part) {
  Model model;
  model += part;
  return model;
}

}  // namespace

TEST_CASE("dropouts of different layers, seeds and steps draw independent masks") {
  const auto make = [](int64_t seed) {
    Model inner("block"), model;
    inner |= Dropout({.seed = seed})({{"input", "x"}, {"output", "y"}});
    model |= Dropout({.seed = seed})({{"input", "x"}, {"output", "first"}});
    model |= Dropout({.seed = seed})({{"input", "x"}, {"output", "second"}});
    model |= inner({{"x", "x"}, {"y", "inner"}});
    model.set_cin({"x"});
    return model;
  };
  check_streams(make, {{"x", Tensor::full(DType::float32, {count}, 1)}});
}

TEST_CASE("attentions of different seeds and steps drop independent weights") {
  const auto make = [](int64_t seed) {
    Model model;
    for (const char* output : {"first", "second"}) {
      model |= ScaledDotProduct({.is_causal = false, .dropout_p = 0.5, .seed = seed})(
          {{"query", "q"}, {"key", "q"}, {"value", "v"}, {"output", output}});
    }
    model.set_differentiability({{"v", false}});
    return model.set_cin({"q"});
  };
  Tensor identity(DType::float32, {128, 128});  // the output is the weights
  for (int64_t i = 0; i < 128; ++i) identity.mutable_data<float>()[i * 129] = 1;
  check_streams(make, {{"q", Tensor(DType::float32, {128, 1})}, {"v", identity}});
}

TEST_CASE("random models of different parts, keys and steps are independent") {
  const auto make = [](int64_t seed) {
    Model model;
    for (const std::string name : {"a", "b"}) {
      model |= Randn({.shape = {{count}}, .key = seed})({{"output", "normal_" + name}});
      model |=
          RandInt({.shape = {{count}}, .key = seed, .high = 1000})({{"output", "int_" + name}});
    }
    return model;
  };
  check_streams(make);
}

TEST_CASE("a random stream depends only on the path of its part") {
  const Model part = Dropout({.seed = 4}), same = Dropout({.seed = 4});
  CHECK(first_key(around(part)) == first_key(around(same)));
  CHECK(first_key(around(Dropout({.seed = 4}))) != first_key(around(around(Dropout({.seed = 4})))));
  const Model model = around(Dropout({.seed = 4}));
  CHECK(first_key(model) == first_key(model, {.use_short_namings = true}));
  CHECK(first_key(model) == first_key(model, {.shapes = {{"dropout.input", {3, any}}}}));
}

TEST_CASE("first random keys are small enough to be incremented") {
  for (int64_t seed = 0; seed < 1000; ++seed) {
    const int64_t key = first_random_key(seed, "path.key");
    CHECK(key >= 0);
    CHECK(key < int64_t{1} << 62);
  }
}

}  // namespace mithril
