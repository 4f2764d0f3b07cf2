// Answers on the terminal with a GPT-2 of Hugging Face.
// Usage: chat FOLDER [temperature] [seed], or chat --tokens FOLDER, which prints the tokens of the
// input. The folder has config.json, model.safetensors, vocab.json
// and merges.txt. Each line of the input is a turn. The turns end with <|endoftext|>, as in
// DialoGPT, and the model answers until it makes this token.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "examples/models/gpt2.hpp"
#include "mithril/mithril.hpp"
#include "tokenizer.hpp"

namespace ml = mithril;

namespace {

gpt2::Config read_config(const std::string& folder) {
  std::ifstream file(folder + "/config.json");
  if (!file) throw std::runtime_error("cannot read " + folder + "/config.json");
  const nlohmann::json fields = nlohmann::json::parse(file);
  if (fields.value("model_type", "gpt2") != "gpt2")
    throw std::runtime_error("config.json describes no gpt2");
  if (fields.value("activation_function", "gelu_new") != "gelu_new")
    throw std::runtime_error("config.json has another activation than gelu_new");
  gpt2::Config config;
  config.vocab_size = fields.value("vocab_size", config.vocab_size);
  config.n_positions = fields.value("n_positions", config.n_positions);
  config.n_embd = fields.value("n_embd", config.n_embd);
  config.n_layer = fields.value("n_layer", config.n_layer);
  config.n_head = fields.value("n_head", config.n_head);
  config.layer_norm_epsilon = fields.value("layer_norm_epsilon", config.layer_norm_epsilon);
  return config;
}

// Hugging Face stores the projections as [inputs, outputs], and perhaps causal masks.
ml::TensorMap read_weights(const ml::CompiledModel& model, const std::string& folder) {
  const ml::TensorMap saved = ml::load_safetensors(folder).tensors;
  const std::string prefix = "transformer.";
  ml::WeightOptions options{.ignore = {"h.*.attn.bias", "h.*.attn.masked_bias", "lm_head.weight"}};
  if (saved.contains(prefix + "wte.weight")) options.prefix = prefix;
  for (const std::string name : {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}) {
    const std::string weight = "h.*." + name + ".weight";
    options.name_map.emplace_back(weight, ml::WeightSource(weight).transposed());
  }
  return ml::load_weights(model, saved, options).params;
}

// The last turns, as many whole ones as leave place for an answer.
ml::Tokens recent(const ml::Tokens& text, int64_t end_of_turn, int64_t place) {
  auto first = text.begin();
  while (text.end() - first > place) {
    first = std::find(first, text.end() - 1, end_of_turn) + 1;
    if (first == text.end()) throw std::runtime_error("the line is too long for the model");
  }
  return {first, text.end()};
}

void chat(const std::string& folder, double temperature, uint64_t seed) {
  const gpt2::Config config = read_config(folder);
  const Tokenizer tokenizer(folder);
  const int64_t limit = config.n_positions, end = tokenizer.end_of_text();
  const ml::CompiledModel model =
      ml::compile(gpt2::model(config, limit), ml::cpu(),
                  {.shapes = {{"input_ids", {1, ml::any}}}, .inference = true});
  const ml::CompiledModel bound = model.bind(read_weights(model, folder));
  ml::GenerateOptions options{.max_tokens = limit / 4,
                              .temperature = temperature,
                              .top_p = 0.95,
                              .seed = seed,
                              .stop = {end}};
  options.stream = [&](size_t, int64_t token) {
    std::cout << tokenizer.decode(token) << std::flush;
  };
  ml::Tokens text;
  std::string line;
  while (std::cout << "> " << std::flush && std::getline(std::cin, line)) {
    if (line.empty()) continue;
    for (const int64_t token : tokenizer.encode(line)) text.push_back(token);
    text.push_back(end);
    text = recent(text, end, limit - options.max_tokens + 1);
    for (const int64_t token : ml::generate(bound, {}, text, options)) text.push_back(token);
    text.push_back(end);
    ++options.seed;
    std::cout << "\n";
  }
  std::cout << "\n";
}

// The tokens of the whole input.
void print_tokens(const std::string& folder) {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  for (const int64_t token : Tokenizer(folder).encode(text)) std::cout << token << "\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: chat FOLDER [temperature] [seed]\n");
    return 2;
  }
  if (std::string(argv[1]) == "--tokens" && argc > 2) {
    print_tokens(argv[2]);
    return 0;
  }
  chat(argv[1], argc > 2 ? std::stod(argv[2]) : 0.7, argc > 3 ? std::stoull(argv[3]) : 0);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
