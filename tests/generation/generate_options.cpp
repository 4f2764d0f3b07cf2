// How generate draws, ends and streams tokens, compared with the logits of the model.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/cpu/cpu.hpp"
#include "examples/models/gpt2.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/generation/generate.hpp"

namespace mithril::tests {
namespace {

constexpr int64_t vocabulary = 61, drawn_tokens = 12;

CompiledModel compiled_for(int64_t prompts) {
  const gpt2::Config config{
      .vocab_size = vocabulary, .n_positions = 32, .n_embd = 24, .n_layer = 2, .n_head = 3};
  return compile(gpt2::model(config), cpu({.dtype = DType::float64}),
                 {.shapes = {{"input_ids", {prompts, any}}}, .inference = true});
}

// Returns parameters so large that the tokens differ from step to step.
TensorMap large_parameters(const CompiledModel& model) {
  TensorMap params = model.get_parameters(7);
  for (auto& [key, tensor] : params) tensor = tensor * 3;
  return params;
}

struct Drawn {
  CompiledModel model = compiled_for(1);
  TensorMap params = large_parameters(model);
  Tokens prompt{5, 17, 3};

  Tokens operator()(const GenerateOptions& options) const {
    return generate(model, params, prompt, options);
  }

  // The logits of the token after this text.
  std::vector<double> logits(const Tokens& text) const {
    const auto size = static_cast<int64_t>(text.size());
    const TensorMap data{{"input_ids", Tensor::of<int64_t>({1, size}, text)},
                         {"attention_mask", Tensor::full(DType::boolean, {1, size}, 1)}};
    const Tensor all = model.evaluate(params, data).at("logits");
    return {all.values<double>().end() - vocabulary, all.values<double>().end()};
  }

  // Calls check(logits, token) for each token that is drawn.
  template <typename Check>
  void each(const GenerateOptions& options, const Check& check) const {
    Tokens text = prompt;
    for (const int64_t token : (*this)(options)) {
      check(logits(text), token);
      text.push_back(token);
    }
  }
};

// How many tokens are more probable than this one, and their probability at a temperature.
std::pair<int64_t, double> above(const std::vector<double>& logits, int64_t token,
                                 double temperature) {
  const double own = logits[static_cast<size_t>(token)];
  int64_t count = 0;
  double part = 0, sum = 0;
  for (const double each : logits) {
    const double weight = std::exp((each - own) / temperature);
    sum += weight;
    if (each <= own) continue;
    ++count;
    part += weight;
  }
  return {count, part / sum};
}

}  // namespace

TEST_CASE("generate with top_k = 1 draws the greedy token") {
  const Drawn drawn;
  const Tokens greedy = drawn({.max_tokens = drawn_tokens});
  CHECK(drawn({.max_tokens = drawn_tokens, .temperature = 3, .top_k = 1, .seed = 5}) == greedy);
  CHECK(drawn({.max_tokens = drawn_tokens, .temperature = 3, .top_p = 1e-9, .seed = 5}) == greedy);
  CHECK(drawn({.max_tokens = drawn_tokens, .temperature = 3, .seed = 5}) != greedy);
}

TEST_CASE("drawn tokens are among the top_k most probable ones") {
  const Drawn drawn;
  for (const int64_t k : {2, 7}) {
    int64_t last = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      drawn.each({.max_tokens = drawn_tokens, .temperature = 5, .top_k = k, .seed = seed},
                 [&](const std::vector<double>& logits, int64_t token) {
                   const int64_t before = above(logits, token, 5).first;
                   CHECK(before < k);
                   last = std::max(last, before);
                 });
    }
    CHECK(last == k - 1);  // each of the k tokens may be drawn
  }
}

TEST_CASE("drawn tokens are in the nucleus of top_p at the temperature") {
  const Drawn drawn;
  for (const double p : {0.3, 0.8}) {
    double most = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      drawn.each({.max_tokens = drawn_tokens, .temperature = 2, .top_p = p, .seed = seed},
                 [&](const std::vector<double>& logits, int64_t token) {
                   const double before = above(logits, token, 2).second;
                   CHECK(before < p);
                   most = std::max(most, before);
                 });
    }
    CHECK(most > p / 2);  // not only the most probable tokens are drawn
  }
}

TEST_CASE("top_p counts the probabilities of the tokens that top_k leaves") {
  const Drawn drawn;
  const auto draw = [&](double p) {
    return drawn({.max_tokens = drawn_tokens, .temperature = 100, .top_k = 2, .top_p = p});
  };
  // At this temperature each of two tokens has about half of the probability.
  CHECK(draw(0.4) == drawn({.max_tokens = drawn_tokens}));
  CHECK(draw(0.6) == draw(1));
}

TEST_CASE("a text ends before its first stop token") {
  const Drawn drawn;
  const GenerateOptions options{.max_tokens = drawn_tokens, .temperature = 1, .seed = 1};
  const Tokens whole = drawn(options);
  REQUIRE(whole.size() == static_cast<size_t>(drawn_tokens));
  for (const int64_t stop : whole) {
    GenerateOptions ends = options;
    ends.stop = {-1, stop};
    const auto end = std::find(whole.begin(), whole.end(), stop);
    CHECK(drawn(ends) == Tokens(whole.begin(), end));
  }
}

TEST_CASE("the stream gets each token of each prompt in the order in which they are made") {
  const Drawn drawn;
  const std::vector<Tokens> prompts{{5, 17, 3, 29, 8}, {44, 2}};
  const CompiledModel both = compiled_for(2);
  GenerateOptions options{.max_tokens = drawn_tokens, .temperature = 1, .seed = 2};
  options.stop = {generate(both, drawn.params, prompts, options)[1][4]};
  std::vector<std::pair<size_t, int64_t>> streamed;
  options.stream = [&](size_t prompt, int64_t token) { streamed.emplace_back(prompt, token); };
  const std::vector<Tokens> made = generate(both, drawn.params, prompts, options);
  CHECK(made[1].size() <= 4);
  std::vector<std::pair<size_t, int64_t>> expected;
  for (size_t step = 0; step < std::max(made[0].size(), made[1].size()); ++step) {
    for (size_t prompt = 0; prompt < 2; ++prompt) {
      if (step < made[prompt].size()) expected.emplace_back(prompt, made[prompt][step]);
    }
  }
  CHECK(streamed == expected);
}

}  // namespace mithril::tests
