// GPT-2: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019. The same
// model as gpt2.py, with the same names of parameters.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "context.hpp"
#include "mithril/mithril.hpp"

namespace gpt2 {

namespace ml = mithril;

// The fields of Hugging Face's config.json; the defaults are those of gpt2 (124 M parameters).
struct Config {
  int64_t vocab_size = 50257;
  int64_t n_positions = 1024;
  int64_t n_embd = 768;
  int64_t n_layer = 12;
  int64_t n_head = 12;
  double layer_norm_epsilon = 1e-5;
};

inline ml::Connection linear(const ml::Connection& x, int64_t size, const std::string& name) {
  return ml::Linear({.dimension = size}).named(name)(x);
}

inline ml::Connection norm(const ml::Connection& x, const Config& config, const std::string& name) {
  return ml::LayerNorm({.eps = config.layer_norm_epsilon}).named(name)(x);
}

// [N, L, heads * D] as [N, heads, 1, L, D].
inline ml::Connection in_heads(const ml::Connection& x, const Config& config) {
  return x.reshape({x.shape()[0], x.shape()[1], config.n_head, 1, -1}).transpose({0, 2, 3, 1, 4});
}

inline ml::Connection attention(const ml::Connection& x, const Context& context,
                                const Config& config, const std::string& name) {
  const ml::Connection qkv = linear(x, 3 * config.n_embd, name + ".c_attn");
  const ml::Model split = ml::Split({.split_size = 3, .axis = -1});
  std::vector<ml::Connection> parts = split.apply(std::vector<ml::Binding>{qkv});
  for (ml::Connection& part : parts) part = in_heads(part, config);
  const ml::Connection heads = context.attend(parts[0], parts[1], parts[2]);
  const ml::Connection places = heads.transpose({0, 3, 1, 2, 4});
  const ml::Connection joined = places.reshape({x.shape()[0], x.shape()[1], config.n_embd});
  return linear(joined, config.n_embd, name + ".c_proj");
}

inline ml::Connection perceptron(const ml::Connection& x, const Config& config,
                                 const std::string& name) {
  const ml::Connection hidden = linear(x, 4 * config.n_embd, name + ".c_fc");
  return linear(ml::Gelu({.approximate = true})(hidden), config.n_embd, name + ".c_proj");
}

inline ml::Connection block(ml::Connection x, const Context& context, const Config& config,
                            const std::string& name) {
  x += attention(norm(x, config, name + ".ln_1"), context, config, name + ".attn");
  return x + perceptron(norm(x, config, name + ".ln_2"), config, name + ".mlp");
}

// Ports: input_ids [N, L], attention_mask [N, L] (true: a token, false: padding), logits
// [N, L, vocab_size]. With a limit the model has a cache of as many tokens, and logits
// [N, 1, vocab_size] are those after the last token.
inline ml::Model model(const Config& config, std::optional<int64_t> limit = {}) {
  const ml::Connection ids(
      ml::IOKey{.name = "input_ids", .shape = {{"N", "L"}}, .type = ml::kind::int_tensor});
  const ml::Connection mask(
      ml::IOKey{.name = "attention_mask", .shape = {{"N", "L"}}, .type = ml::kind::bool_tensor});
  const auto table = [&](int64_t rows, const std::string& name) {
    return ml::Embedding({.num_embeddings = rows, .dim = config.n_embd}).named(name);
  };
  const ml::Model tokens = table(config.vocab_size, "wte");
  const ml::Model positions = table(config.n_positions, "wpe");
  const Context context(mask, limit);
  ml::Connection x = tokens(ids);
  x += positions(context.positions());
  for (int64_t i = 0; i < config.n_layer; ++i)
    x = block(x, context, config, "h." + std::to_string(i));
  x = norm(context.read(x), config, "ln_f");
  const ml::Model head = ml::Linear({.use_bias = false});
  return ml::Model::create(
      {{"logits", head.apply(ml::Bindings{{"input", x}, {"weight", tokens.at("weight")}})[0]}});
}

}  // namespace gpt2
