// The tokenizer. tests/models_agreement/search.py compares it with Hugging Face's for 1,000 texts.
#include "mithril/text/tokenizer.hpp"

#include <doctest/doctest.h>

#include <string>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

using Ids = std::vector<std::int64_t>;

// Pieces 0 to 9.
const std::string small_tokenizer = R"({
  "truncation": null,
  "added_tokens": [{"id": 4, "content": "[MASK]", "lstrip": false, "normalized": false}],
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                 "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
               {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 8,
    "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4,
              "hello": 5, "wor": 6, "##ld": 7, ",": 8, "##s": 9}}
})";

std::string with(std::string from, const std::string& to) {
  std::string text = small_tokenizer;
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string tokenizer_error(const std::string& json) {
  try {
    const Tokenizer tokenizer(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a tokenizer splits words into their longest pieces") {
  const Tokenizer tokenizer(small_tokenizer);
  CHECK(tokenizer.ids("Hello, World") == Ids{2, 5, 8, 6, 7, 3});
  CHECK(tokenizer.ids("HÉLLO worlds") == Ids{2, 5, 6, 7, 9, 3});
  CHECK(tokenizer.ids("") == Ids{2, 3});
  CHECK(tokenizer.ids("hellx hello") == Ids{2, 1, 5, 3});
  CHECK(tokenizer.ids("helloworl") == Ids{2, 1, 3});  // longer than a word may be
  CHECK(tokenizer.ids("hello[MASK]world") == Ids{2, 5, 4, 6, 7, 3});
  CHECK(tokenizer.ids("\xff\xff hello \xe2\x82") == Ids{2, 1, 3});
}

TEST_CASE("a tokenizer leaves out characters that are neither spaces nor printed") {
  const Tokenizer tokenizer(small_tokenizer);
  for (const char* space : {"\t", "\n", "\r", "\u00a0", "\u1680", "\u2028", "\u3000"}) {
    CAPTURE(space);
    CHECK(tokenizer.ids(std::string("wor") + space + "hello") == Ids{2, 6, 5, 3});
  }
  for (const char* none : {"\x0b", "\x0c", "\x1f", "\xc2\x85", "\u00ad", "\u0600", "\u061c",
                           "\u06dd", "\u070f", "\u180e", "\u200b", "\ue000", "\uf8ff", "\ufffb",
                           "\U000e0001", "\U000e007f", "\U000f0000", "\U0010fffd", "\u05b0"}) {
    CAPTURE(none);
    CHECK(tokenizer.ids(std::string("wor") + none + "ld") == Ids{2, 6, 7, 3});
  }
  CHECK(tokenizer.ids("wor\u2065ld") == Ids{2, 1, 3});  // not assigned
}

TEST_CASE("a tokenizer cuts texts to a length") {
  CHECK(Tokenizer(small_tokenizer, 4).ids("hello, world") == Ids{2, 5, 8, 3});
  const std::string cutting = with("\"truncation\": null", R"("truncation": {"max_length": 3})");
  CHECK(Tokenizer(cutting).ids("hello, world") == Ids{2, 5, 3});
  CHECK(Tokenizer(cutting, 5).ids("hello, world") == Ids{2, 5, 8, 6, 3});
}

TEST_CASE("a tokenizer pads the texts of a batch") {
  const TensorMap made = Tokenizer(small_tokenizer)({"hello", "hello, world"});
  CHECK(made.at("input_ids").dims() == Dims{2, 6});
  const auto ids = made.at("input_ids").values<std::int64_t>();
  CHECK(Ids(ids.begin(), ids.end()) == Ids{2, 5, 3, 0, 0, 0, 2, 5, 8, 6, 7, 3});
  const auto mask = made.at("attention_mask").values<bool>();
  CHECK(std::vector<bool>(mask.begin(), mask.end()) ==
        std::vector<bool>{1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  const auto types = made.at("token_type_ids").values<std::int64_t>();
  CHECK(Ids(types.begin(), types.end()) == Ids(12, 0));
  CHECK(Tokenizer(small_tokenizer)({}).at("input_ids").dims() == Dims{0, 0});
}

TEST_CASE("a tokenizer of another kind is refused") {
  CHECK(tokenizer_error(with("\"type\": \"WordPiece\"", "\"type\": \"BPE\"")) ==
        "mithril.ParseError[E0771]: /model/type: this is not a tokenizer of the kind WordPiece "
        "without capital letters\n"
        "  expected : \"WordPiece\"\n"
        "  got      : \"BPE\"\n"
        "  help: the Python package tokenizers reads tokenizers of all kinds");
  const std::pair<const char*, const char*> changes[] = {
      {"\"lowercase\": true", "\"lowercase\": false"},
      {"\"strip_accents\": null", "\"strip_accents\": false"},
      {"BertPreTokenizer", "Whitespace"},
      {"\"id\": \"[CLS]\"", "\"id\": \"<s>\""},
      {"\"lstrip\": false", "\"lstrip\": true"},
      {"\"[PAD]\"", "\"pad\""},
      {"\"max_input_chars_per_word\": 8", "\"max_input_chars_per_word\": -1"}};
  for (const auto& change : changes) {
    CAPTURE(change.first);
    CHECK(tokenizer_error(with(change.first, change.second)).find("E0771") != std::string::npos);
  }
  CHECK(tokenizer_error("[").find("E0720") != std::string::npos);
  CHECK(tokenizer_error(with("\"vocab\"", "\"words\"")).find("E0727") != std::string::npos);
  CHECK(tokenizer_error(with("\"hello\": 5", "\"hello\": 5.5")).find("E0726") != std::string::npos);
}

}  // namespace mithril
