// The tokenizer of a sentence encoder: text as ids of pieces of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

// WordPiece without capital letters, as most BERT models have it, from a tokenizer.json of Hugging
// Face. Immutable, and copies are handles of the same tokenizer: any thread may use it. Example:
//   const ml::Tokenizer tokenizer(package.file("tokenizer.json"));
//   auto outputs = compiled.evaluate({}, tokenizer({"Hello world"}));
class Tokenizer {
 public:
  // Texts are cut to `max_length` ids; 0: to the length that the file states, if it states one.
  // ParseError E0771 for a tokenizer of another kind, and errors as from_json.
  explicit Tokenizer(std::string_view tokenizer_json, std::size_t max_length = 0);

  // [CLS], the pieces of the text, [SEP].
  std::vector<std::int64_t> ids(std::string_view text) const;

  // input_ids and token_type_ids (int64) and attention_mask (bool) [N, L] of N texts, the longest
  // of which has L ids. Shorter ones are padded.
  TensorMap operator()(const std::vector<std::string>& texts) const;

  struct Impl;  // of the source file

 private:
  std::shared_ptr<const Impl> impl_;  // immutable, so copies share it
};

}  // namespace mithril
