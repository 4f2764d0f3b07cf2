// The parts of tokenizers, with the results of the package tokenizers 0.23.3.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "mithril/json/guarded_parse.hpp"
#include "mithril/text/normalizer.hpp"
#include "mithril/text/pre_tokenizer.hpp"
#include "mithril/text/token_decoder.hpp"

namespace mithril {
namespace {

using TextList = std::vector<std::string>;

struct NormalizerCase {
  const char *part, *text, *expected;
};

const NormalizerCase normalizer_cases[] = {
    {R"({"type": "Strip", "strip_left": true, "strip_right": true})", "\u3000 a b\n", "a b"},
    {R"({"type": "Strip", "strip_left": true, "strip_right": false})", " a ", "a "},
    {R"({"type": "Lowercase"})", "\u0130\u00c9\u01c5\u03a3", "i\u0307\u00e9\u01c6\u03c3"},
    {R"({"type": "StripAccents"})", "e\u0301\u093eo", "eo"},
    {R"({"type": "Prepend", "prepend": "_"})", "a", "_a"},
    {R"({"type": "Prepend", "prepend": "_"})", "", ""},
    {R"({"type": "Replace", "pattern": {"String": "aa"}, "content": "b"})", "aaa aa", "ba b"},
    {R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "_"})", "a  b   c d",
     "a_b_c d"},
    {R"({"type": "NFC"})", "e\u0301\ufb01\u08d3\u0301", "\u00e9\ufb01\u08d3\u0301"},
    {R"({"type": "NFKD"})", "\u00e9\ufb01\uac01", "e\u0301fi\u1100\u1161\u11a8"},
    {R"({"type": "NFD"})", "a\u0301\u08d3\u0327", "a\u0301\u08d3\u0327"},
    {R"({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": false})",
     "\u00c9\u200b\t\u4e2d\ufffd", "\u00c9  \u4e2d "},
    {R"({"type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": false, "strip_accents": true, "lowercase": false})",
     "\u00c9\u200b\u4e2d", "E\u200b\u4e2d"},
    {R"({"type": "ByteLevel"})", "\u00e9 a", "\u00c3\u00a9\u0120a"},
    {R"({"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]})",
     "\uff21\u2460", "a1"},
};

struct PreTokenizerCase {
  const char *part, *text;
  TextList expected;
};

const PreTokenizerCase pre_tokenizer_cases[] = {
    {R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true})",
     "a  b\u00e9",
     {"\u0120a", "\u0120", "\u0120b\u00c3\u00a9"}},
    {R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true})",
     "a  b",
     {"\u2581a", "\u2581", "\u2581b"}},
    {R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false})",
     "a b",
     {"\u2581a\u2581b"}},
    {R"({"type": "Whitespace"})",
     "Hi, don't  stop\u2003x2\u0663 \u4e2d\u6587!?",
     {"Hi", ",", "don", "'", "t", "stop", "x2\u0663", "\u4e2d\u6587", "!?"}},
    {R"({"type": "WhitespaceSplit"})",
     "Hi, don't  stop\u2003x2\u0663 \u4e2d\u6587!?",
     {"Hi,", "don't", "stop", "x2\u0663", "\u4e2d\u6587!?"}},
    {R"({"type": "BertPreTokenizer"})",
     "Hi, don't  stop\u2003x2\u0663 \u4e2d\u6587!?",
     {"Hi", ",", "don", "'", "t", "stop", "x2\u0663", "\u4e2d\u6587", "!", "?"}},
    {R"({"type": "Punctuation", "behavior": "Isolated"})",
     "Hi, don't  stop\u2003x2\u0663 \u4e2d\u6587!?",
     {"Hi", ",", " don", "'", "t  stop\u2003x2\u0663 \u4e2d\u6587", "!", "?"}},
    {R"({"type": "Punctuation", "behavior": "MergedWithPrevious"})",
     "Hi, don't  stop\u2003x2\u0663 \u4e2d\u6587!?",
     {"Hi,", " don'", "t  stop\u2003x2\u0663 \u4e2d\u6587!", "?"}},
    {R"({"type": "Digits", "individual_digits": true})",
     "a12\u00bd\u0663",
     {"a", "1", "2", "\u00bd", "\u0663"}},
    {R"({"type": "Digits", "individual_digits": false})",
     "a12\u00bd\u0663b",
     {"a", "12\u00bd\u0663", "b"}},
    {R"({"type": "CharDelimiterSplit", "delimiter": "-"})", "a--b-", {"a", "b"}},
    {R"({"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": false})",
     "a  b ",
     {"a ", " ", "b "}},
    {R"({"type": "Split", "pattern": {"Regex": "\\p{N}{1,3}"}, "behavior": "Isolated", "invert": false})",
     "a1234",
     {"a", "123", "4"}},
    {R"({"type": "Split", "pattern": {"Regex": "\\p{L}+"}, "behavior": "Removed", "invert": true})",
     "ab 1 cd",
     {"ab", "cd"}},
    {R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": true}]})",
     "a b",
     {"_a", "b"}},
};

struct DecoderCase {
  const char* part;
  TextList tokens;
  const char* expected;
};

const DecoderCase decoder_cases[] = {
    {"null", {"a", "b"}, "a b"},
    {R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true})",
     {"\u0120a", "\u00c3", "\u00a9", "\u00e2", "<s>", "\u65e5"},
     " a\u00e9\ufffd<s>\u65e5"},
    {R"({"type": "WordPiece", "prefix": "##", "cleanup": true})",
     {"##a", "##b", "c", ".", "do", "n't", " do not"},
     "##ab c. don't  don't"},
    {R"({"type": "WordPiece", "prefix": "##", "cleanup": false})", {"a", ".", "##b"}, "a .b"},
    {R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true})",
     {"\u2581\u2581a", "\u2581b"},
     "a b"},
    {R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": true})",
     {"\u2581a", "\u2581b"},
     " a b"},
    {R"({"type": "ByteFallback"})",
     {"<0xC3>", "<0xA9>", "a", "<0xE2>", "<0x0A>", "<0xzz>"},
     "\u00e9a\ufffd\ufffd<0xzz>"},
    {R"({"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})",
     {"\u2581\u2581a", "<0x0A>", "\u2581b"},
     " a\n b"},
    {R"({"type": "Strip", "content": "H", "start": 1, "stop": 1})", {"Hey", "HHH"}, "eyH"},
    {R"({"type": "BPEDecoder", "suffix": "</w>"})", {"a</w>", "b", "c</w>"}, "a bc"},
};

}  // namespace

TEST_CASE("normalizers change texts as the package tokenizers does") {
  for (const NormalizerCase& row : normalizer_cases) {
    CAPTURE(row.part);
    CAPTURE(row.text);
    const Json part = guarded_parse(row.part);
    std::string text = row.text;
    read_normalizer(JsonField(part))(text);
    CHECK(text == row.expected);
  }
}

TEST_CASE("pre-tokenizers split texts as the package tokenizers does") {
  for (const PreTokenizerCase& row : pre_tokenizer_cases) {
    CAPTURE(row.part);
    CAPTURE(row.text);
    const Json part = guarded_parse(row.part);
    TextList words;
    for (const TextWord& word : read_pre_tokenizer(JsonField(part))({row.text, true}))
      words.push_back(word.text);
    CHECK(words == row.expected);
  }
}

TEST_CASE("decoders join tokens as the package tokenizers does") {
  for (const DecoderCase& row : decoder_cases) {
    CAPTURE(row.part);
    const Json part = guarded_parse(row.part);
    TextList texts = row.tokens;
    read_decoder(JsonField(part))(texts);
    std::string whole;
    for (const std::string& text : texts) whole += text;
    CHECK(whole == row.expected);
  }
}

}  // namespace mithril
