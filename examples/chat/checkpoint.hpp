// GPT-2, Llama, Mistral and Qwen2 from a folder of Hugging Face.
#pragma once
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "examples/chat/rotation.hpp"
#include "examples/models/gpt2.hpp"
#include "examples/models/llama.hpp"
#include "mithril/mithril.hpp"

namespace checkpoint {

namespace ml = mithril;

// A text is as long as the model was trained for, but its cache takes memory.
constexpr int64_t longest_text = 4096;

struct Checkpoint {
  ml::CompiledModel model;  // with its weights
  int64_t limit;            // of the tokens of a text
  ml::Tokens stop;          // the tokens that end a text, as config.json names them
};

inline nlohmann::json read_config(const std::string& folder) {
  std::ifstream file(folder + "/config.json");
  if (!file) throw std::runtime_error("cannot read " + folder + "/config.json");
  return nlohmann::json::parse(file);
}

inline void require(const nlohmann::json& fields, const std::string& name,
                    const nlohmann::json& expected) {
  const nlohmann::json got = fields.value(name, expected);
  if (got != expected && !got.is_null())
    throw std::runtime_error("config.json: " + name + " is " + got.dump() + ", expected " +
                             expected.dump());
}

template <typename T>
void read(const nlohmann::json& fields, const std::string& name, T& value) {
  const auto found = fields.find(name);
  if (found != fields.end() && !found->is_null()) value = found->get<T>();
}

inline ml::CompiledModel bound(const ml::Model& model, const ml::TensorMap& saved,
                               const ml::WeightOptions& options) {
  const ml::CompiledModel compiled =
      ml::compile(model, ml::cpu(), {.shapes = {{"input_ids", {1, ml::any}}}, .inference = true});
  return compiled.bind(ml::load_weights(compiled, saved, options).params);
}

// Hugging Face stores the projections as [inputs, outputs], and perhaps causal masks.
inline Checkpoint load_gpt2(const nlohmann::json& fields, const ml::TensorMap& saved) {
  require(fields, "activation_function", "gelu_new");
  require(fields, "scale_attn_weights", true);
  require(fields, "scale_attn_by_inverse_layer_idx", false);
  require(fields, "tie_word_embeddings", true);
  gpt2::Config config;
  read(fields, "vocab_size", config.vocab_size);
  read(fields, "n_positions", config.n_positions);
  read(fields, "n_embd", config.n_embd);
  read(fields, "n_layer", config.n_layer);
  read(fields, "n_head", config.n_head);
  read(fields, "layer_norm_epsilon", config.layer_norm_epsilon);
  const std::string prefix = "transformer.";
  ml::WeightOptions options{.ignore = {"h.*.attn.bias", "h.*.attn.masked_bias", "lm_head.weight"}};
  if (saved.contains(prefix + "wte.weight")) options.prefix = prefix;
  for (const std::string name : {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}) {
    const std::string weight = "h.*." + name + ".weight";
    options.name_map.emplace_back(weight, ml::WeightSource(weight).transposed());
  }
  const int64_t limit = std::min(config.n_positions, longest_text);
  return {bound(gpt2::model(config, limit), saved, options), limit, {}};
}

// Loads Llama, Mistral and Qwen2. No text is longer than the window of Mistral's attention, so that
// all tokens are within it.
inline Checkpoint load_llama(const nlohmann::json& fields, const ml::TensorMap& saved) {
  require(fields, "hidden_act", "silu");
  require(fields, "attention_bias", false);
  require(fields, "mlp_bias", false);
  llama::Config config;
  read(fields, "vocab_size", config.vocab_size);
  read(fields, "hidden_size", config.hidden_size);
  read(fields, "intermediate_size", config.intermediate_size);
  read(fields, "num_hidden_layers", config.num_hidden_layers);
  read(fields, "num_attention_heads", config.num_attention_heads);
  config.num_key_value_heads = config.num_attention_heads;
  read(fields, "num_key_value_heads", config.num_key_value_heads);
  read(fields, "rms_norm_eps", config.rms_norm_eps);
  read(fields, "tie_word_embeddings", config.tie_word_embeddings);
  require(fields, "head_dim", config.head_dim());
  read(fields, "rope_theta", config.rope_theta);
  read_rotation(fields, config);
  config.qkv_bias = fields.value("model_type", "") == "qwen2";
  int64_t limit = longest_text, most = longest_text;
  read(fields, "max_position_embeddings", most);
  limit = std::min(limit, most);
  if (!config.qkv_bias || fields.value("use_sliding_window", false)) {
    read(fields, "sliding_window", most);
    limit = std::min(limit, most);
  }
  const std::string prefix = "model.";
  ml::TensorMap weights;
  for (const auto& [name, tensor] : saved)
    weights[name.starts_with(prefix) ? name.substr(prefix.size()) : name] = tensor;
  ml::WeightOptions options{.ignore = {"layers.*.self_attn.rotary_emb.inv_freq"}};
  if (config.tie_word_embeddings) options.ignore.push_back("lm_head.weight");
  return {bound(llama::model(config, limit), weights, options), limit, {}};
}

// std::runtime_error for a configuration that these models do not have.
inline Checkpoint load(const std::string& folder) {
  const nlohmann::json fields = read_config(folder);
  const std::string type = fields.value("model_type", "gpt2");
  const bool is_llama = type == "llama" || type == "mistral" || type == "qwen2";
  if (!is_llama && type != "gpt2")
    throw std::runtime_error("config.json: model_type is \"" + type +
                             "\", expected gpt2, llama, mistral or qwen2");
  const ml::TensorMap saved = ml::load_safetensors(folder).tensors;
  Checkpoint loaded = is_llama ? load_llama(fields, saved) : load_gpt2(fields, saved);
  const nlohmann::json end = fields.value("eos_token_id", nlohmann::json());
  if (end.is_array()) loaded.stop = end.get<ml::Tokens>();
  if (end.is_number()) loaded.stop = {end.get<int64_t>()};
  return loaded;
}

}  // namespace checkpoint
