// The errors of tokenizers that are damaged or not supported.
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/text/tokenizer.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/text/byte_pair_samples.hpp"

namespace mithril {

using tests::gpt2_vocabulary;
using tests::sentence_piece_json;
using tests::text_of_error;
using tests::with_value;

namespace {

std::string tokenizer_json_error(const std::string& json) {
  return text_of_error([&] { Tokenizer{json}; });
}

// A place, a value that is refused there, and the code, the place and the facts of the error.
struct RefusedValue {
  const char *pointer, *value, *code, *at, *expected, *got;
};

constexpr const char* model_kinds = "BPE, WordPiece or Unigram";
constexpr const char* normalizers =
    "NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend, Precompiled, "
    "BertNormalizer, ByteLevel or Sequence";
constexpr const char* pre_tokenizers =
    "ByteLevel, Metaspace, Split, Whitespace, WhitespaceSplit, BertPreTokenizer, Punctuation, "
    "Digits, CharDelimiterSplit or Sequence";
constexpr const char* decoders =
    "ByteLevel, WordPiece, Metaspace, ByteFallback, Fuse, Strip, Replace, BPEDecoder or Sequence";
constexpr const char* processors =
    "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or Sequence";
constexpr const char* expressions =
    "a regular expression of characters, sets, alternatives and lookaheads, in which characters "
    "alone are repeated";

const RefusedValue unsupported_values[] = {
    {"/model/type", "\"WordLevel\"", "E0772", "/model/type", model_kinds, "\"WordLevel\""},
    {"/model/type", "1", "E0772", "/model/type", model_kinds, "1"},
    {"/model/type", "[]", "E0772", "/model/type", model_kinds, "an array"},
    {"/model", "null", "E0772", "/model/type", model_kinds, "null"},
    {"", "null", "E0772", "/model/type", model_kinds, "null"},
    {"/model/dropout", "0.1", "E0772", "/model/dropout", "0.0", "0.1"},
    {"/model/continuing_subword_prefix", "\"##\"", "E0772", "/model/continuing_subword_prefix",
     "\"\"", "\"##\""},
    {"/model/end_of_word_suffix", "\"</w>\"", "E0772", "/model/end_of_word_suffix", "\"\"",
     "\"</w>\""},
    {"/model/max_length", "8", "E0772", "/model/max_length", "no such field", "8"},
    {"/chat_template", "8", "E0772", "/chat_template", "no such field", "8"},
    {"/normalizer", R"({"type": "Nmt"})", "E0772", "/normalizer", normalizers, "\"Nmt\""},
    {"/normalizer/normalizers/1", R"({"type": "Nmt"})", "E0772", "/normalizer/normalizers/1",
     normalizers, "\"Nmt\""},
    {"/normalizer", R"({"type": "NFC", "form": 1})", "E0772", "/normalizer/form", "no such field",
     "1"},
    {"/normalizer", R"({"type": "Replace", "pattern": {"String": ""}, "content": "b"})", "E0772",
     "/normalizer/pattern/String", "a text that is not empty", "\"\""},
    {"/normalizer", R"({"type": "Replace", "pattern": {"Regex": "(a+)+"}, "content": "b"})",
     "E0772", "/normalizer/pattern/Regex", expressions, "\"(a+)+\""},
    {"/normalizer", R"({"type": "Precompiled", "precompiled_charsmap": "AAAA"})", "E0772",
     "/normalizer/precompiled_charsmap", "the map of a SentencePiece model in base64", "\"AAAA\""},
    {"/pre_tokenizer", R"({"type": "UnicodeScripts"})", "E0772", "/pre_tokenizer", pre_tokenizers,
     "\"UnicodeScripts\""},
    {"/pre_tokenizer", R"({"type": "Metaspace", "replacement": ""})", "E0772",
     "/pre_tokenizer/replacement", "a character", "\"\""},
    {"/pre_tokenizer", R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "last"})",
     "E0772", "/pre_tokenizer/prepend_scheme", "first, always or never", "\"last\""},
    {"/pre_tokenizer",
     R"({"type": "Split", "pattern": {"Regex": "(?<=a)b"}, "behavior": "Isolated"})", "E0772",
     "/pre_tokenizer/pattern/Regex", expressions, "\"(?<=a)b\""},
    {"/pre_tokenizer", R"({"type": "Punctuation", "behavior": "Kept"})", "E0772",
     "/pre_tokenizer/behavior",
     "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous", "\"Kept\""},
    {"/decoder", R"({"type": "CTC"})", "E0772", "/decoder", decoders, "\"CTC\""},
    {"/decoder/decoders/1/type", "\"CTC\"", "E0772", "/decoder/decoders/1", decoders, "\"CTC\""},
    {"/decoder/decoders/3/content", "\"xy\"", "E0772", "/decoder/decoders/3/content", "a character",
     "\"xy\""},
    {"/post_processor/type", "\"Other\"", "E0772", "/post_processor", processors, "\"Other\""},
    {"/post_processor/single", "[]", "E0772", "/post_processor/single", "one text, A", "an array"},
    {"/post_processor/single/1/Sequence/id", "\"B\"", "E0772",
     "/post_processor/single/1/Sequence/id", "one text, A", "\"B\""},
    {"/added_tokens/0/content", "\"\"", "E0772", "/added_tokens/0/content",
     "a text that is not empty", "\"\""},
    {"/added_tokens/0/id", "7", "E0772", "/added_tokens/0/id", "0, as in the vocabulary", "7"},
    {"/truncation", R"({"max_length": 2, "direction": "Up"})", "E0772", "/truncation/direction",
     "Left or Right", "\"Up\""},
};

constexpr const char* token_range = "an integer from 0 to 16777215";

const RefusedValue misfit_values[] = {
    {"", "1", "E0726", "/", "an object", "1"},
    {"", "[]", "E0726", "/", "an object", "[]"},
    {"/model", "[]", "E0726", "/model", "an object", "[]"},
    {"/model/vocab", "null", "E0726", "/model/vocab", "an object", "null"},
    {"/model/vocab/a", "\"1\"", "E0726", "/model/vocab/a", token_range, "\"1\""},
    {"/model/vocab/a", "-1", "E0726", "/model/vocab/a", token_range, "-1"},
    {"/model/vocab/a", "16777216", "E0726", "/model/vocab/a", token_range, "16777216"},
    {"/model/vocab/a", "1e300", "E0726", "/model/vocab/a", token_range, "1e+300"},
    {"/model/byte_fallback", "1", "E0726", "/model/byte_fallback", "true or false", "1"},
    {"/model/unk_token", "[\"<unk>\"]", "E0726", "/model/unk_token", "a string", "[\"<unk>\"]"},
    {"/model/merges", "null", "E0726", "/model/merges", "an array", "null"},
    {"/model/merges/0", "5", "E0726", "/model/merges/0", "an array", "5"},
    {"/model/merges/0", "[\"a\"]", "E0726", "/model/merges/0", "two tokens", "[\"a\"]"},
    {"/model/merges/0", "[\"a\", 1]", "E0726", "/model/merges/0/1", "a string", "1"},
    {"/added_tokens", "{}", "E0726", "/added_tokens", "an array", "{}"},
    {"/added_tokens/0", "1", "E0726", "/added_tokens/0", "an object", "1"},
    {"/added_tokens/0", R"({"id": 1099511627776, "content": "q"})", "E0726", "/added_tokens/0/id",
     token_range, "1099511627776"},
    {"/normalizer", "1", "E0726", "/normalizer", "an object", "1"},
    {"/normalizer", "{}", "E0726", "/normalizer/type", "a string", "null"},
    {"/normalizer", R"({"type": "Replace", "pattern": {}, "content": "b"})", "E0726",
     "/normalizer/pattern/String", "a string", "null"},
    {"/pre_tokenizer", R"({"type": "Metaspace"})", "E0726", "/pre_tokenizer/replacement",
     "a string", "null"},
    {"/post_processor/single", "null", "E0726", "/post_processor/single", "an array", "null"},
    {"/post_processor/special_tokens", "{}", "E0726", "/post_processor/special_tokens/<s>/ids",
     "an array", "null"},
};

void check_refused(const RefusedValue& row) {
  CAPTURE(row.pointer);
  CAPTURE(row.value);
  try {
    Tokenizer{with_value(sentence_piece_json, row.pointer, row.value)};
    FAIL_CHECK("nothing was raised");
  } catch (const Error& error) {
    CHECK(error.code() == row.code);
    CHECK(error.path() == row.at);
    REQUIRE(error.details().facts.size() == 2);
    CHECK(error.details().facts[0].text == row.expected);
    CHECK(error.details().facts[1].text == row.got);
  }
}

}  // namespace

TEST_CASE("a setting that a tokenizer does not support is refused") {
  for (const RefusedValue& row : unsupported_values) check_refused(row);
  CHECK(tokenizer_json_error(with_value(sentence_piece_json, "/model/type", "\"WordLevel\"")) ==
        "mithril.ParseError[E0772]: /model/type: Tokenizer does not read tokenizers of this kind\n"
        "  expected : BPE, WordPiece or Unigram\n"
        "  got      : \"WordLevel\"\n"
        "  help: the Python package tokenizers reads tokenizers of all kinds");
}

TEST_CASE("a value of another form in a tokenizer is refused") {
  for (const RefusedValue& row : misfit_values) check_refused(row);
}

TEST_CASE("a merge of tokens that the vocabulary lacks is refused") {
  const auto with_merge = [](const char* merge) {
    return tokenizer_json_error(with_value(sentence_piece_json, "/model/merges/0", merge));
  };
  CHECK(with_merge(R"(["a", "qqq"])") ==
        "mithril.ParseError[E0773]: /model/merges/0: the merge of 'a' and 'qqq' needs the token "
        "'qqq', which the vocabulary lacks");
  CHECK(with_merge(R"(["a", "a"])") ==
        "mithril.ParseError[E0773]: /model/merges/0: the merge of 'a' and 'a' needs the token "
        "'aa', which the vocabulary lacks");
  CHECK(with_merge("\"ab\"") ==
        "mithril.ParseError[E0773]: /model/merges/0: the merge 'ab' is not two tokens with a "
        "space between");
  CHECK(with_merge("\"a b c\"") ==
        "mithril.ParseError[E0773]: /model/merges/0: the merge 'a b c' is not two tokens with a "
        "space between");
}

TEST_CASE("an unknown token that the vocabulary lacks is an error when it is needed") {
  const Tokenizer tokenizer(with_value(sentence_piece_json, "/model/unk_token", "\"<none>\""));
  CHECK(tokenizer.encode("a", false) == tests::TokenList{7});
  CHECK(text_of_error([&] { tokenizer.encode("x"); }) ==
        "mithril.ParseError[E0774]: /model/unk_token: the vocabulary lacks the unknown token "
        "'<none>'");
}

TEST_CASE("a tokenizer that is not JSON is refused") {
  for (const size_t end : {size_t{0}, size_t{1}, size_t{100}, sentence_piece_json.size() - 1}) {
    CAPTURE(end);
    CHECK(tokenizer_json_error(sentence_piece_json.substr(0, end)).find("E0720") !=
          std::string::npos);
  }
  std::string nested = "1";
  for (int i = 0; i < 300; ++i) nested = "[" + nested + "]";
  CHECK(tokenizer_json_error("{\"normalizer\": " + nested + "}").find("E0721") !=
        std::string::npos);
  CHECK(tokenizer_json_error(R"({"model": {"type": "BPE", "vocab": {"a": 18446744073709551615}}})")
            .find("E0724]: /model/vocab/a: ") != std::string::npos);
}

TEST_CASE("an error of a tokenizer names its file") {
  const TemporaryFolder folder("mithril-test-");
  const auto load_error = [&] { return text_of_error([&] { Tokenizer::load(folder.path()); }); };
  const std::string vocabulary = folder.path("vocab.json"), merges = folder.path("merges.txt");
  CHECK(load_error().starts_with("mithril.InputError[E0830]: " + vocabulary + ": "));
  std::ofstream(vocabulary) << "{\"a\": -1}";
  CHECK(load_error().starts_with("mithril.InputError[E0830]: " + merges + ": "));
  std::ofstream(merges) << "#version: 0.2\n\na b\nb z\n";
  CHECK(load_error().find("\n  at       : " + vocabulary + "\n") != std::string::npos);
  std::ofstream(vocabulary) << gpt2_vocabulary;
  CHECK(load_error() ==
        "mithril.ParseError[E0773]: line 4: the merge of 'b' and 'z' needs the token 'z', which "
        "the vocabulary lacks\n"
        "  at : " +
            merges);
  const std::string json = folder.path("tokenizer.json");
  std::ofstream(json) << "{";
  CHECK(load_error().starts_with("mithril.ParseError[E0720]: " + json + ": the text is not JSON"));
}

TEST_CASE("a path that no file can have is a file that cannot be read") {
  CHECK(text_of_error([] {
          Tokenizer::load(std::string(300, 'a'));
        }).starts_with("mithril.InputError[E0830]: "));
}

}  // namespace mithril
