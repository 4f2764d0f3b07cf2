// BERT: Devlin et al., https://arxiv.org/abs/1810.04805. The same model as bert.py, with the same
// names of parameters.
#pragma once
#include <cstdint>
#include <string>

#include "mithril/mithril.hpp"

namespace bert {

namespace ml = mithril;

// The fields of Hugging Face's config.json; the defaults are those of bert-base-uncased.
struct Config {
  int64_t vocab_size = 30522;
  int64_t max_position_embeddings = 512;
  int64_t type_vocab_size = 2;
  int64_t hidden_size = 768;
  int64_t intermediate_size = 3072;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  double layer_norm_eps = 1e-12;
};

inline Config minilm_l6() {
  return {.hidden_size = 384, .intermediate_size = 1536, .num_hidden_layers = 6};
}

inline ml::Connection linear(const ml::Connection& x, int64_t size, const std::string& name) {
  return ml::Linear({.dimension = size}).named(name)(x);
}

inline ml::Connection norm(const ml::Connection& x, const Config& config, const std::string& name) {
  return ml::LayerNorm({.eps = config.layer_norm_eps}).named(name)(x);
}

// [N, L, heads * D] as [N, heads, L, D].
inline ml::Connection in_heads(const ml::Connection& x, const Config& config) {
  return x.reshape({x.shape()[0], x.shape()[1], config.num_attention_heads, -1})
      .transpose({0, 2, 1, 3});
}

inline ml::Connection attention(const ml::Connection& x, const ml::Connection& mask,
                                const Config& config, const std::string& name) {
  const int64_t size = config.hidden_size;
  const ml::Connection q = in_heads(linear(x, size, name + ".self.query"), config);
  const ml::Connection k = in_heads(linear(x, size, name + ".self.key"), config);
  const ml::Connection v = in_heads(linear(x, size, name + ".self.value"), config);
  const ml::Model attend = ml::ScaledDotProduct({.is_causal = false, .use_attn_mask = true});
  const ml::Connection heads =
      attend.apply(ml::Bindings{{"query", q}, {"key", k}, {"value", v}, {"attn_mask", mask}})[0];
  const ml::Connection places = heads.transpose({0, 2, 1, 3});
  const ml::Connection joined = places.reshape({x.shape()[0], x.shape()[1], size});
  return linear(joined, size, name + ".output.dense");
}

inline ml::Connection perceptron(const ml::Connection& x, const Config& config,
                                 const std::string& name) {
  const ml::Connection hidden = linear(x, config.intermediate_size, name + ".intermediate.dense");
  return linear(ml::Gelu()(hidden), config.hidden_size, name + ".output.dense");
}

inline ml::Connection block(ml::Connection x, const ml::Connection& mask, const Config& config,
                            const std::string& name) {
  x += attention(x, mask, config, name + ".attention");
  x = norm(x, config, name + ".attention.output.LayerNorm");
  return norm(x + perceptron(x, config, name), config, name + ".output.LayerNorm");
}

inline ml::Connection embeddings(const ml::Connection& ids, const ml::Connection& types,
                                 const Config& config) {
  const auto table = [&](int64_t rows, const std::string& name) {
    return ml::Embedding({.num_embeddings = rows, .dim = config.hidden_size})
        .named("embeddings." + name);
  };
  ml::Connection x = table(config.vocab_size, "word_embeddings")(ids);
  x += table(config.max_position_embeddings, "position_embeddings")(ml::Arange()(ids.shape()[1]));
  x += table(config.type_vocab_size, "token_type_embeddings")(types);
  return norm(x, config, "embeddings.LayerNorm");
}

struct Inputs {
  static ml::Connection input(const char* name, ml::Kinds type) {
    return ml::Connection(ml::IOKey{.name = name, .shape = {{"N", "L"}}, .type = type});
  }
  ml::Connection ids = input("input_ids", ml::kind::int_tensor);
  ml::Connection types = input("token_type_ids", ml::kind::int_tensor);
  ml::Connection mask = input("attention_mask", ml::kind::bool_tensor);
};

inline ml::Connection hidden_states(const Inputs& inputs, const Config& config) {
  ml::Connection x = embeddings(inputs.ids, inputs.types, config);
  for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
    const ml::Connection allowed =
        inputs.mask.at({ml::slice(ml::none, ml::none), ml::none, ml::none});
    x = block(x, allowed, config, "encoder.layer." + std::to_string(i));
  }
  return x;
}

// Ports: input_ids, token_type_ids, attention_mask [N, L] (true: a token, false: padding),
// last_hidden_state [N, L, hidden_size], pooler_output [N, hidden_size].
inline ml::Model model(const Config& config) {
  const ml::Connection x = hidden_states({}, config);
  const ml::Connection first = x.at({ml::slice(ml::none, ml::none), 0});
  const ml::Connection pooled = ml::Tanh()(linear(first, config.hidden_size, "pooler.dense"));
  return ml::Model::create({{"last_hidden_state", x}, {"pooler_output", pooled}});
}

// Sentence embeddings, as those of MiniLM: means over the hidden states of tokens, of length 1.
// Ports: input_ids, token_type_ids, attention_mask [N, L], embedding [N, hidden_size].
inline ml::Model sentence_encoder(const Config& config) {
  const Inputs inputs;
  const ml::Connection hidden = hidden_states(inputs, config);
  const ml::Connection weights =
      inputs.mask.cast(ml::DType::float32)
          .at({ml::slice(ml::none, ml::none), ml::slice(ml::none, ml::none), ml::none});
  const ml::Connection mean = (hidden * weights).sum(1) / weights.sum(1);
  return ml::Model::create({{"embedding", mean / (mean * mean).sum(-1, true).sqrt()}});
}

}  // namespace bert
