// Text from language models, in C++.
#include "mithril/generation/generate.hpp"

#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "examples/models/gpt2.hpp"
#include "mithril/compile/compile.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

const gpt2::Config small_gpt2{
    .vocab_size = 61, .n_positions = 32, .n_embd = 24, .n_layer = 2, .n_head = 3};
const std::vector<Tokens> two_prompts{{5, 17, 3, 29, 8}, {44, 2}};

CompiledModel compiled_gpt2(std::optional<int64_t> limit) {
  return compile(gpt2::model(small_gpt2, limit), cpu({.dtype = DType::float64}),
                 {.shapes = {{"input_ids", {2, any}}}, .inference = true});
}

}  // namespace

TEST_CASE("a model generates the same tokens with and without a cache, and with fixed parameters") {
  const CompiledModel without = compiled_gpt2({}), cached = compiled_gpt2(12);
  const TensorMap params = without.get_parameters(7);
  const GenerateOptions options{.max_tokens = 8, .temperature = 2, .seed = 3};
  const std::vector<Tokens> tokens = generate(without, params, two_prompts, options);
  CHECK(tokens.size() == 2);
  CHECK(tokens[0].size() == 8);
  CHECK(tokens[0] != tokens[1]);
  CHECK(generate(cached, params, two_prompts, options) == tokens);
  CHECK(generate(cached.bind(params), {}, two_prompts, options) == tokens);
  CHECK(generate(cached.bind(params, cached.initial_state_dict()), {}, two_prompts, options) ==
        tokens);
}

TEST_CASE("generating changes neither the initial state nor the next text") {
  const CompiledModel cached = compiled_gpt2(12);
  const TensorMap params = cached.get_parameters(7);
  const GenerateOptions options{.max_tokens = 4, .temperature = 2};
  const std::vector<Tokens> tokens = generate(cached, params, two_prompts, options);
  for (const auto& [key, tensor] : cached.initial_state_dict())
    CHECK(identical(tensor, Tensor(tensor.dtype(), tensor.dims())));
  CHECK(generate(cached, params, two_prompts, options) == tokens);
}

TEST_CASE("errors of generate name their cause") {
  const CompiledModel cached = compiled_gpt2(6);
  const TensorMap params = cached.get_parameters();
  CHECK(
      text_of_error([&] { generate(cached, params, two_prompts, {.max_tokens = 3}); }) ==
      "mithril.InputError[E0853]: a prompt of 5 tokens and 3 new tokens need 7 rows, and the cache "
      "has 6\n"
      "  help: compose the model with a larger limit, or shorten the prompt or max_tokens");
  CHECK(text_of_error([&] {
          generate(cached, params, std::vector<Tokens>{{1}, {61}}, {.max_tokens = 3});
        }) == "mithril.InputError[E0852]: token 0 of prompt 1 is 61, expected 0 to 60");
}

}  // namespace mithril::tests
