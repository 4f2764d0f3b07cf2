// Texts as tokens of a model, and tokens as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/tensor/tensor_map.hpp"
#include "mithril/text/text_stream.hpp"

namespace mithril {

// A tokenizer.json of Hugging Face: byte-pair encoding (GPT-2, Llama, Mistral, Qwen2, Gemma),
// WordPiece (BERT) or Unigram (T5). docs/generation.md lists the differences from the package
// `tokenizers`. Immutable, and copies are handles of the same tokenizer: any thread may use it.
// Examples:
//   const auto tokenizer = ml::Tokenizer::load("Qwen2-0.5B");
//   const auto answer = ml::generate(model, {}, tokenizer.encode("Hello"), options);
//   std::cout << tokenizer.decode(answer);
//
//   const ml::Tokenizer tokenizer(package.file("tokenizer.json"));
//   auto outputs = compiled.evaluate({}, tokenizer({"Hello world"}));
class Tokenizer {
 public:
  // Reads the text of a tokenizer.json. Texts are cut to `max_length` tokens; 0: to the length that
  // the file states, if it states one. ParseError E0772 for a tokenizer of another kind, E0773 for
  // a merge of tokens that are not in the vocabulary, E0726 and E0727 for values of another form,
  // and E0720 to E0725 for text that is not JSON; the errors name the field.
  explicit Tokenizer(std::string_view tokenizer_json, std::size_t max_length = 0);
  // Reads the texts of vocab.json and merges.txt of GPT-2. The same errors.
  static Tokenizer gpt2(std::string_view vocab_json, std::string_view merges_txt);
  // Reads a tokenizer.json, or tokenizer.json in a folder, or vocab.json and merges.txt of GPT-2 if
  // the folder has none. InputError E0830 for a file that cannot be read; otherwise the same
  // errors, which also name the file.
  static Tokenizer load(const std::string& path, std::size_t max_length = 0);

  // The tokens of a text in UTF-8, with the special tokens around it, such as <s> or [CLS], if the
  // file has them and they are asked for. Added tokens are found in the text. Bytes that are not
  // UTF-8 count as U+FFFD. ParseError E0774 for a text that needs the unknown token of a file that
  // has none.
  std::vector<std::int64_t> encode(std::string_view text, bool add_special_tokens = true) const;
  // The text of tokens, in valid UTF-8. Tokens that the tokenizer does not have add no text.
  std::string decode(const std::vector<std::int64_t>& tokens,
                     bool skip_special_tokens = true) const;
  // For the text of tokens that arrive one by one.
  TextStream stream(bool skip_special_tokens = true) const;

  // encode(text).
  std::vector<std::int64_t> ids(std::string_view text) const { return encode(text); }
  // input_ids and token_type_ids (int64) and attention_mask (bool) [N, L] of N texts, the longest
  // of which has L tokens. Shorter ones are padded, on the right unless the file says "Left".
  TensorMap operator()(const std::vector<std::string>& texts) const;

  // "BPE", "WordPiece" or "Unigram".
  const std::string& kind() const;
  // The number of tokens, with added tokens.
  std::size_t vocab_size() const;
  std::optional<std::int64_t> id(const std::string& token) const;
  std::optional<std::string> token(std::int64_t id) const;
  // The id of an added token, such as <|endoftext|>, by its text.
  std::optional<std::int64_t> added_token(const std::string& text) const;
  // The tokens that belong before each text, such as <s>; perhaps none.
  std::vector<std::int64_t> begin_of_text() const;

 private:
  explicit Tokenizer(std::shared_ptr<const TokenizerModel> model);

  std::shared_ptr<const TokenizerModel> model_;  // immutable, so copies share it
};

}  // namespace mithril
