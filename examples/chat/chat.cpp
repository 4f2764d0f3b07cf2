// Answers on the terminal with a GPT-2, Llama, Mistral or Qwen2 of Hugging Face.
// Usage:
//   chat FOLDER [temperature] [seed]
// The folder has config.json, weights as safetensors, and tokenizer.json, or vocab.json and
// merges.txt of GPT-2. Each line of the input is a turn, which the model answers until it makes the
// token that ends a turn.
//   chat --tokens FOLDER [file...]
// prints the tokens of the input, or a line of tokens for each file.
//   chat --text FOLDER
// reads lines of tokens. It prints the text that each token of a line adds, and the rest, as JSON.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

// How a model writes chats.
struct Turns {
  std::string before;       // the line of a user
  ml::Tokens after;         // that line
  ml::Tokens after_answer;  // the first of them ends an answer
};

// The format of chats follows from the special tokens of the tokenizer: ChatML (Qwen2), Llama 3, or
// as in DialoGPT, where the end-of-text token ends each turn.
Turns turns_of(const ml::Tokenizer& tokenizer, const ml::Tokens& stop) {
  const auto has = [&](const std::string& name) { return tokenizer.added_token(name).has_value(); };
  if (has("<|im_start|>") && has("<|im_end|>")) {
    return {"<|im_start|>user\n", tokenizer.encode("<|im_end|>\n<|im_start|>assistant\n", false),
            tokenizer.encode("<|im_end|>\n", false)};
  }
  if (has("<|start_header_id|>") && has("<|end_header_id|>") && has("<|eot_id|>")) {
    return {"<|start_header_id|>user<|end_header_id|>\n\n",
            tokenizer.encode("<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", false),
            tokenizer.encode("<|eot_id|>", false)};
  }
  const std::optional<int64_t> last = tokenizer.added_token("<|endoftext|>");
  if (!last && stop.empty()) throw std::runtime_error("config.json has no eos_token_id");
  const int64_t turn = last ? *last : stop.front();
  return {"", {turn}, {turn}};
}

// The last turns, as many as leave place for an answer: of a user and answers by turns.
ml::Tokens recent(const std::vector<ml::Tokens>& turns, const ml::Tokens& begin, int64_t place) {
  auto first = turns.end();
  auto left = static_cast<int64_t>(place - std::ssize(begin));
  while (first != turns.begin() && std::ssize(*(first - 1)) <= left) left -= std::ssize(*--first);
  if (first == turns.end()) throw std::runtime_error("the line is too long for the model");
  // Not an answer whose beginning is in a turn that is left out.
  if ((first - turns.begin()) % 2 == 1) ++first;
  ml::Tokens text = begin;
  for (; first != turns.end(); ++first) text.insert(text.end(), first->begin(), first->end());
  return text;
}

void chat(const std::string& folder, double temperature, uint64_t seed) {
  const auto [model, limit, stop] = checkpoint::load(folder);
  const auto tokenizer = ml::Tokenizer::load(folder);
  const Turns format = turns_of(tokenizer, stop);
  ml::GenerateOptions options{.max_tokens = limit / 4,
                              .temperature = temperature,
                              .top_p = 0.95,
                              .seed = seed,
                              .stop = stop};
  options.stop.push_back(format.after_answer.front());
  std::vector<ml::Tokens> turns;
  std::string line;
  while (std::cout << "> " << std::flush && std::getline(std::cin, line)) {
    if (line.empty()) continue;
    ml::Tokens turn = tokenizer.encode(format.before + line, false);
    turn.insert(turn.end(), format.after.begin(), format.after.end());
    turns.push_back(turn);
    const ml::Tokens text =
        recent(turns, tokenizer.begin_of_text(), limit - options.max_tokens + 1);
    ml::TextStream answer = tokenizer.stream();
    options.stream = [&answer](size_t, int64_t token) {
      std::cout << answer.push(token) << std::flush;
    };
    turns.push_back(ml::generate(model, {}, text, options));
    turns.back().insert(turns.back().end(), format.after_answer.begin(), format.after_answer.end());
    ++options.seed;
    std::cout << answer.finish() << "\n";
  }
  std::cout << "\n";
}

std::string all_of(std::istream& stream) { return {std::istreambuf_iterator<char>(stream), {}}; }

void print_tokens(const std::string& folder, const std::vector<std::string>& files) {
  const auto tokenizer = ml::Tokenizer::load(folder);
  if (files.empty()) {
    for (const int64_t token : tokenizer.encode(all_of(std::cin), false))
      std::cout << token << "\n";
  }
  for (const std::string& path : files) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    for (const int64_t token : tokenizer.encode(all_of(file), false)) std::cout << token << " ";
    std::cout << "\n";
  }
}

void print_text(const std::string& folder) {
  const auto tokenizer = ml::Tokenizer::load(folder);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream tokens(line);
    ml::TextStream text = tokenizer.stream();
    nlohmann::json pieces = nlohmann::json::array();
    for (int64_t token = 0; tokens >> token;) pieces.push_back(text.push(token));
    pieces.push_back(text.finish());
    std::cout << pieces.dump() << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: chat FOLDER [temperature] [seed]\n");
    return 2;
  }
  const std::string mode = argv[1];
  if (mode == "--tokens" && argc > 2) {
    print_tokens(argv[2], {argv + 3, argv + argc});
    return 0;
  }
  if (mode == "--text" && argc > 2) {
    print_text(argv[2]);
    return 0;
  }
  chat(argv[1], argc > 2 ? std::stod(argv[2]) : 0.7, argc > 3 ? std::stoull(argv[3]) : 0);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
