// Small byte-pair tokenizers whose tokens can be found by hand.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/json/guarded_parse.hpp"
#include "mithril/json/json.hpp"

namespace mithril::tests {

using TokenList = std::vector<std::int64_t>;

// A tokenizer as converters of SentencePiece write it: the form of Llama 2.
inline const std::string sentence_piece_json = R"({
  "added_tokens": [
    {"id": 0, "content": "<unk>", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true},
    {"id": 1, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true},
    {"id": 2, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false,
     "normalized": false, "special": true}],
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
  "pre_tokenizer": null,
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
               {"Sequence": {"id": "A", "type_id": 0}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
  "decoder": {"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
    {"type": "ByteFallback"},
    {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
  "model": {"type": "BPE", "dropout": null, "unk_token": "<unk>",
    "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": true,
    "byte_fallback": true, "ignore_merges": false,
    "vocab": {"<unk>": 0, "<s>": 1, "</s>": 2, "▁": 3, "a": 4, "b": 5, "c": 6, "▁a": 7, "bc": 8,
              "▁abc": 9, "<0xC3>": 10, "<0xA9>": 11, "<0x0A>": 12},
    "merges": [["▁", "a"], "b c", ["▁a", "bc"]]}
})";

// A tokenizer of bytes: the form of GPT-2.
inline const std::string bytes_json = R"({
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE",
    "vocab": {"1": 0, "2": 1, "3": 2, "4": 3, "12": 4, "123": 5, "1234": 6, "Ã": 7, "©": 8},
    "merges": ["1 2", "12 3", "123 4"]}
})";

inline const std::string gpt2_vocabulary =
    R"({"a": 0, "b": 1, "Ġ": 2, "ab": 3, "Ġab": 4, "Ã": 5, "©": 6, "<|endoftext|>": 7})";
inline const std::string gpt2_merges = "#version: 0.2\na b\nĠ ab\n";

// The value at a place such as "/model/merges/0", which may be a new field.
inline Json& value_at(Json& json, std::string_view pointer) {
  if (pointer.empty()) return json;
  const std::string_view rest = pointer.substr(1);
  const std::string name(rest.substr(0, rest.find('/')));
  const std::string_view below = rest.substr(name.size());
  if (auto* items = json.as<Json::Array>()) return value_at(items->at(std::stoul(name)), below);
  auto* fields = json.as<Json::Object>();
  REQUIRE(fields != nullptr);
  for (auto& [key, value] : *fields) {
    if (key == name) return value_at(value, below);
  }
  return value_at(fields->emplace_back(name, Json()).second, below);
}

// The JSON with another value at a place.
inline std::string with_value(const std::string& json, std::string_view pointer,
                              std::string_view value) {
  Json changed = guarded_parse(json);
  value_at(changed, pointer) = guarded_parse(value);
  return to_text(changed);
}

}  // namespace mithril::tests
