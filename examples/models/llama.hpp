// Llama: Touvron et al., https://arxiv.org/abs/2302.13971 and https://arxiv.org/abs/2307.09288. The
// same model as llama.py, with the same names of parameters.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "context.hpp"
#include "mithril/mithril.hpp"
#include "rotary.hpp"

namespace llama {

namespace ml = mithril;

// The fields of Hugging Face's config.json; the defaults are those of Llama-2-7b.
struct Config {
  int64_t vocab_size = 32000;
  int64_t hidden_size = 4096;
  int64_t intermediate_size = 11008;
  int64_t num_hidden_layers = 32;
  int64_t num_attention_heads = 32;
  int64_t num_key_value_heads = 32;
  double rms_norm_eps = 1e-5;
  double rope_theta = 10000;
  rotary::Scaling rope_scaling = {};
  bool tie_word_embeddings = false;
  bool qkv_bias = false;  // as in Qwen2: https://arxiv.org/abs/2407.10671

  int64_t head_dim() const { return hidden_size / num_attention_heads; }
};

inline ml::Connection linear(const ml::Connection& x, int64_t size, const std::string& name,
                             bool bias = false) {
  return ml::Linear({.dimension = size, .use_bias = bias}).named(name)(x);
}

inline ml::Connection norm(const ml::Connection& x, const Config& config, const std::string& name) {
  return ml::RMSNorm({.eps = config.rms_norm_eps}).named(name)(x);
}

inline ml::Connection rotate(const ml::Connection& x, const Context& context,
                             const Config& config) {
  const ml::Connection positions =
      context.positions().at({ml::slice(ml::none, ml::none), ml::none, ml::none});
  return rotary::rotated(x, positions, config.rope_scaling, config.rope_theta, config.head_dim());
}

// [N, L, groups * count * D] as [N, groups, count, L, D].
inline ml::Connection in_heads(const ml::Connection& x, int64_t count, int64_t groups) {
  return x.reshape({x.shape()[0], x.shape()[1], groups, count, -1}).transpose({0, 2, 3, 1, 4});
}

// A group of heads has a query each, and one key and one value.
inline ml::Connection attention(const ml::Connection& x, const Context& context,
                                const Config& config, const std::string& name) {
  const int64_t groups = config.num_key_value_heads, width = config.head_dim();
  const int64_t heads = config.num_attention_heads / groups;
  const auto projected = [&](int64_t count, const std::string& port) {
    return in_heads(linear(x, groups * count * width, name + port, config.qkv_bias), count, groups);
  };
  ml::Connection q = projected(heads, ".q_proj"), k = projected(1, ".k_proj");
  const ml::Connection v = projected(1, ".v_proj");
  q = rotate(q, context, config);
  k = rotate(k, context, config);
  const ml::Connection result = context.attend(q, k, v);
  const ml::Connection places = result.transpose({0, 3, 1, 2, 4});
  const ml::Connection joined =
      places.reshape({x.shape()[0], x.shape()[1], groups * heads * width});
  return linear(joined, config.hidden_size, name + ".o_proj");
}

// SwiGLU: https://arxiv.org/abs/2002.05202.
inline ml::Connection perceptron(const ml::Connection& x, const Config& config,
                                 const std::string& name) {
  const ml::Connection gate = ml::SiLU()(linear(x, config.intermediate_size, name + ".gate_proj"));
  const ml::Connection up = linear(x, config.intermediate_size, name + ".up_proj");
  return linear(gate * up, config.hidden_size, name + ".down_proj");
}

inline ml::Connection block(ml::Connection x, const Context& context, const Config& config,
                            const std::string& name) {
  ml::Connection y = norm(x, config, name + ".input_layernorm");
  x += attention(y, context, config, name + ".self_attn");
  y = norm(x, config, name + ".post_attention_layernorm");
  return x + perceptron(y, config, name + ".mlp");
}

// Ports: input_ids [N, L], attention_mask [N, L] (true: a token, false: padding), logits
// [N, L, vocab_size]. With a limit the model has a cache of as many tokens, and logits
// [N, 1, vocab_size] are those after the last token.
inline ml::Model model(const Config& config, std::optional<int64_t> limit = {}) {
  const ml::Connection ids(
      ml::IOKey{.name = "input_ids", .shape = {{"N", "L"}}, .type = ml::kind::int_tensor});
  const ml::Connection mask(
      ml::IOKey{.name = "attention_mask", .shape = {{"N", "L"}}, .type = ml::kind::bool_tensor});
  const ml::Model tokens =
      ml::Embedding({.num_embeddings = config.vocab_size, .dim = config.hidden_size})
          .named("embed_tokens");
  const Context context(mask, limit);
  ml::Connection x = tokens(ids);
  for (int64_t i = 0; i < config.num_hidden_layers; ++i)
    x = block(x, context, config, "layers." + std::to_string(i));
  x = norm(context.read(x), config, "norm");
  if (!config.tie_word_embeddings)
    return ml::Model::create({{"logits", linear(x, config.vocab_size, "lm_head")}});
  const ml::Model head = ml::Linear({.use_bias = false});
  return ml::Model::create(
      {{"logits", head.apply(ml::Bindings{{"input", x}, {"weight", tokens.at("weight")}})[0]}});
}

}  // namespace llama
