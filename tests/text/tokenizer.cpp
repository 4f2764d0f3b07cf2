// The tokenizer. tests/models_agreement/run_tokenizers compares it with Hugging Face's.
#include "mithril/text/tokenizer.hpp"

#include <doctest/doctest.h>

#include <ctime>
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
               {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
    "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                       "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
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
  CHECK(tokenizer.ids("\xff\xff hello \xe2\x82") == Ids{2, 5, 3});  // U+FFFD is left out
}

TEST_CASE("a tokenizer with quadratic time is refused") {
  CHECK(tokenizer_error(with("word\": 8", "word\": 1000")).empty());
  const std::string error = tokenizer_error(with("word\": 8", "word\": 1001"));
  CHECK(error.starts_with("mithril.ParseError[E0772]: /model/max_input_chars_per_word: "));
  CHECK(error.find("0 to 1000 characters") != std::string::npos);
}

TEST_CASE("the longest matching piece is found") {
  const Tokenizer tokenizer(with("\"hello\": 5", R"("h": 10, "he": 11, "hello": 5, "##l": 12,
              "##lo": 13, "##hello": 14)"));
  CHECK(tokenizer.ids("hello hell helo h hel") == Ids{2, 5, 11, 12, 12, 11, 13, 10, 11, 12, 3});
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
  const std::string right =
      with("\"truncation\": null", R"("truncation": {"max_length": 3, "direction": "Right"})");
  CHECK(Tokenizer(right).ids("hello, world") == Ids{2, 5, 3});
  CHECK(Tokenizer(small_tokenizer, 4).ids("hello, world") == Ids{2, 5, 8, 3});
  const std::string cutting = with("\"truncation\": null", R"("truncation": {"max_length": 3})");
  CHECK(Tokenizer(cutting).ids("hello, world") == Ids{2, 5, 3});
  CHECK(Tokenizer(cutting, 5).ids("hello, world") == Ids{2, 5, 8, 6, 3});
}

TEST_CASE("a tokenizer finds added pieces before words") {
  const auto adding = [](const std::string& pieces) {
    return Tokenizer(with("\"added_tokens\": [", "\"added_tokens\": [" + pieces + ","));
  };
  SUBCASE("the longest of those that begin at a place") {
    const Tokenizer tokenizer =
        adding(R"({"id": 10, "content": "<a"}, {"id": 11, "content": "<ab>"})");
    CHECK(tokenizer.ids("hello<ab><a") == Ids{2, 5, 11, 10, 3});
  }
  SUBCASE("they are not pieces of words") {
    const Tokenizer tokenizer = adding(R"({"id": 10, "content": "qq", "normalized": false})");
    CHECK(tokenizer.ids("QQ") == Ids{2, 1, 3});
    CHECK(tokenizer.ids("qqhello") == Ids{2, 10, 5, 3});
  }
  SUBCASE("in a time that the length of the text bounds") {
    const Tokenizer tokenizer = adding(R"({"id": 10, "content": "[[[[[["})");
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "[MASK]";
    // This takes 10 ms of the processor, and would take minutes if pieces were sought in the rest
    // of the text.
    const std::clock_t begin = std::clock();
    CHECK(tokenizer.ids(text).size() == 100'002);
    CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 5);
  }
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

TEST_CASE("a WordPiece tokenizer decodes pieces") {
  const Tokenizer tokenizer(
      with("\"truncation\": null", R"("decoder": {"type": "WordPiece", "prefix": "##"})"));
  CHECK(tokenizer.decode({2, 5, 8, 6, 7, 9, 3, 4}) == "[CLS] hello, worlds [SEP] [MASK]");
  CHECK(Tokenizer(small_tokenizer).decode({5, 6, 7, 4}) == "hello wor ##ld [MASK]");
  TextStream text = tokenizer.stream();
  CHECK(text.push(5) == "hello");
  CHECK(text.push(6) == " wor");
  CHECK(text.push(7) == "ld");
  CHECK(text.finish() == "");
}

TEST_CASE("a tokenizer of WordPiece with other settings than BERT's is read") {
  CHECK(Tokenizer(with("\"lowercase\": true", "\"lowercase\": false")).ids("Hello hello") ==
        Ids{2, 1, 5, 3});
  CHECK(Tokenizer(with("BertPreTokenizer", "WhitespaceSplit")).ids("hello, hello") ==
        Ids{2, 1, 5, 3});
  CHECK(Tokenizer(with("\"post_processor\"", "\"padding\": null, \"post_processor\"")).ids("") ==
        Ids{2, 3});
}

TEST_CASE("the file of a tokenizer says how rows are padded and cut") {
  const Tokenizer left(with("\"truncation\": null", R"("padding": {"strategy": "BatchLongest",
      "direction": "Left", "pad_id": 9, "pad_type_id": 1, "pad_token": "##s"},
      "truncation": {"max_length": 3, "direction": "Left", "strategy": "LongestFirst"})"));
  const TensorMap made = left({"hello", ",", "hello,"});
  const auto ids = made.at("input_ids").values<std::int64_t>();
  CHECK(Ids(ids.begin(), ids.end()) == Ids{2, 5, 3, 2, 8, 3, 2, 8, 3});
  const TensorMap padded = left({"", "hello"});
  const auto rows = padded.at("input_ids").values<std::int64_t>();
  CHECK(Ids(rows.begin(), rows.end()) == Ids{9, 2, 3, 2, 5, 3});
  const auto types = padded.at("token_type_ids").values<std::int64_t>();
  CHECK(Ids(types.begin(), types.end()) == Ids{1, 0, 0, 0, 0, 0});
}

TEST_CASE("a tokenizer knows its tokens") {
  const Tokenizer tokenizer(small_tokenizer);
  CHECK(tokenizer.kind() == "WordPiece");
  CHECK(tokenizer.vocab_size() == 10);
  CHECK(tokenizer.id("hello") == 5);
  CHECK(tokenizer.id("[MASK]") == 4);
  CHECK(!tokenizer.id("none").has_value());
  CHECK(tokenizer.token(7) == "##ld");
  CHECK(!tokenizer.token(10).has_value());
  CHECK(tokenizer.begin_of_text() == Ids{2});
  CHECK(tokenizer.encode("hello", false) == Ids{5});
}

TEST_CASE("added tokens take spaces, or are single words") {
  const auto adding = [](const std::string& flags) {
    return Tokenizer(with(
        "\"added_tokens\": [",
        R"("added_tokens": [{"id": 10, "content": "<a>", "normalized": false, )" + flags + "},"));
  };
  const auto split = [&](const std::string& flags, const std::string& text) {
    return adding(flags).encode(text, false);
  };
  CHECK(split("\"lstrip\": true", "hello \u3000<a> ,") == Ids{5, 10, 8});
  CHECK(split("\"single_word\": true", "hello<a>") == Ids{5, 1, 1, 1});
  CHECK(split("\"single_word\": true", "hello <a>,<a>") == Ids{5, 10, 8, 10});
  CHECK(split("\"rstrip\": true, \"lstrip\": true", "<a> <a>  hello") == Ids{10, 10, 5});
}

}  // namespace mithril
