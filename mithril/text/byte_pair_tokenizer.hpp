// Byte-pair encoding of texts: the tokenizers of GPT-2, Llama, Mistral and Qwen2.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/text/text_stream.hpp"

namespace mithril {

// Byte-pair encoding of bytes, or as converters of SentencePiece write it, from files of Hugging
// Face; docs/generation.md lists the differences from the package `tokenizers`. Immutable, and
// copies are handles of the same tokenizer: any thread may use it. Example:
//   const auto tokenizer = ml::BytePairTokenizer::load("Qwen2-0.5B");
//   const auto answer = ml::generate(model, {}, tokenizer.encode("Hello"), options);
//   std::cout << tokenizer.decode(answer);
class BytePairTokenizer {
 public:
  // Of the text of a tokenizer.json. ParseError E0772 for a tokenizer of another kind, E0773 for a
  // merge of tokens that are not in the vocabulary, E0726 for values of another form, and E0720 to
  // E0725 for text that is not JSON; the errors name the field.
  explicit BytePairTokenizer(std::string_view tokenizer_json);
  // Of the texts of vocab.json and merges.txt of GPT-2. The same errors.
  BytePairTokenizer(std::string_view vocab_json, std::string_view merges_txt);

  // Reads tokenizer.json in a folder, or vocab.json and merges.txt of GPT-2 if there is none.
  // InputError E0830 for a file that cannot be read; otherwise the same errors, which also name the
  // file.
  static BytePairTokenizer load(const std::string& folder);

  // The tokens of a text in UTF-8, without begin_of_text(). Added tokens such as <s> are found in
  // the text. Bytes that are not UTF-8 count as U+FFFD. ParseError E0774 for a character that the
  // vocabulary lacks if the file names an unknown token that it lacks, too.
  std::vector<std::int64_t> encode(std::string_view text) const;
  // The text of tokens, in valid UTF-8, as a TextStream writes it.
  std::string decode(const std::vector<std::int64_t>& tokens) const;
  // For the text of tokens that arrive one by one.
  TextStream stream() const { return TextStream(model_); }

  // The id of an added token, such as <|endoftext|>, by its text.
  std::optional<std::int64_t> added_token(const std::string& text) const;
  // The tokens that belong before each text, such as <s>; perhaps none.
  const std::vector<std::int64_t>& begin_of_text() const;

 private:
  explicit BytePairTokenizer(std::shared_ptr<const BytePairModel> model);

  std::shared_ptr<const BytePairModel> model_;  // immutable, so copies share it
};

}  // namespace mithril
