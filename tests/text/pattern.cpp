// How tokenizers split texts, and characters of damaged UTF-8.
#include "mithril/text/pattern.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "mithril/text/printed_bytes.hpp"
#include "mithril/text/split_text.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

using Words = std::vector<std::string>;

Words matches(const char* expression, const std::string& text) {
  const std::optional<Pattern> pattern = Pattern::read(expression);
  REQUIRE(pattern.has_value());
  Words words;
  for (const TextRange& range : pattern->find_all(text))
    words.push_back(text.substr(range.begin, range.end - range.begin));
  return words;
}

constexpr const char* gpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

Words split_dashes(const std::string& text, SplitBehavior behavior, bool is_inverted = false) {
  Words words;
  for (const TextRange& range :
       split_at(text, Pattern::of_text("-").find_all(text), behavior, is_inverted))
    words.push_back(text.substr(range.begin, range.end - range.begin));
  return words;
}

}  // namespace

TEST_CASE("GPT-2 splits words with the space before them") {
  CHECK(matches(gpt2, "It's 12 o'clock") == Words{"It", "'s", " 12", " o", "'", "clock"});
  CHECK(matches(gpt2, "a  b") == Words{"a", " ", " b"});
  CHECK(matches(gpt2, "x \n") == Words{"x", " \n"});
  CHECK(matches(gpt2, "1234567") == Words{"1234567"});
  CHECK(matches(gpt2, "don't été 三½") == Words{"don", "'t", " été", " 三", "½"});
}

TEST_CASE("Llama 3 splits numbers and keeps newlines with what is before them") {
  CHECK(matches(llama3, "1234567") == Words{"123", "456", "7"});
  CHECK(matches(llama3, "WE'LL x\n\n y") == Words{"WE", "'LL", " x", "\n\n", " y"});
  CHECK(matches(llama3, "it'ſ") == Words{"it", "'ſ"});  // the long s is an s
  CHECK(matches(llama3, "f(y);\n\n") == Words{"f", "(y", ");\n\n"});
}

TEST_CASE("a regular expression matches as Oniguruma does") {
  CHECK(matches("a{2,}", "a aa aaaa") == Words{"aa", "aaaa"});
  CHECK(matches("a{2}|b{,2}c", "aaa bbbc") == Words{"aa", "bbc"});
  CHECK(matches("[a-c]+?b", "aab") == Words{"aab"});
  CHECK(matches("a++a|b", "aab") == Words{"b"});
  CHECK(matches("x(?=y)|(?:ab)?c", "xxy abc c") == Words{"x", "abc", "c"});
  CHECK(matches(R"(\d+\.?|\W|[^\w\s])", "1. é-") == Words{"1.", " ", "-"});
  CHECK(matches(R"([\x{41}-\u0043\-\]]+|\P{L}|\p{^N}$)", "AC-]1d") == Words{"AC-]", "1", "d"});
  CHECK(matches("(?i)é.", "Éa é\n") == Words{"Éa"});
  CHECK(matches("(?i:[A-Z]+)", "abC1dE") == Words{"abC", "dE"});
  CHECK(matches("(?i:[^A-Z])", "aB1") == Words{"1"});
  CHECK(matches("(?i:[À-Ö]+)", "aàÖ") == Words{"àÖ"});
  CHECK(matches("^b|\\t", "ab\nb\t") == Words{"b", "\t"});
  CHECK(matches("", "ab") == Words{});
}

TEST_CASE("a regular expression that is damaged or has another part is not read") {
  for (const char* expression :
       {"(",      ")",      "a**",         "*a",     "[",           "[]",
        "[b-a]",  "[a&&b]", "[[:alpha:]]", "\\",     "\\p{Greek}",  "\\pL",
        "a{2",    "a{3,2}", "(?<=a)b",     "(?>a)",  "(a|b)+",      "(ab)*",
        "(?!a)?", "^*",     "\\b",         "}",      "\\x{110000}", "a{99999999999}",
        "a{2}?",  "\\xc3",  "x(?i)a|b",    "a|(?i)b"}) {
    CAPTURE(expression);
    CHECK(!Pattern::read(expression));
  }
  CHECK(!Pattern::read(std::string(1000, '(') + std::string(1000, ')')));
  CHECK(Pattern::read(std::string(1000, 'a')));
  CHECK(!Pattern::read(std::string(1001, 'a')));
}

TEST_CASE("matches split a text in five ways") {
  const std::string text = "-the-final--countdown";
  CHECK(split_dashes(text, SplitBehavior::removed) == Words{"the", "final", "countdown"});
  CHECK(split_dashes(text, SplitBehavior::isolated) ==
        Words{"-", "the", "-", "final", "-", "-", "countdown"});
  CHECK(split_dashes(text, SplitBehavior::merged_with_previous) ==
        Words{"-", "the-", "final-", "-", "countdown"});
  CHECK(split_dashes(text, SplitBehavior::merged_with_next) ==
        Words{"-the", "-final", "-", "-countdown"});
  CHECK(split_dashes(text, SplitBehavior::contiguous) ==
        Words{"-", "the", "-", "final", "--", "countdown"});
  CHECK(split_dashes(text, SplitBehavior::removed, true) == Words{"-", "-", "-", "-"});
  CHECK(split_dashes("", SplitBehavior::isolated) == Words{});
}

TEST_CASE("a replacement character takes the place of bytes that are not UTF-8") {
  CHECK(valid_utf8("aé€😀") == "aé€😀");
  CHECK(valid_utf8("a\xff\xe5\x8f b") == "a\ufffd\ufffd b");
  CHECK(valid_utf8("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");  // a surrogate
  CHECK(valid_utf8("\xf0\x9f\x98 \xc0\xaf") == "\ufffd \ufffd\ufffd");
  CHECK(valid_utf8("\xe5") == "\ufffd");
}

TEST_CASE("bytes are written as characters that can be printed") {
  CHECK(to_printed_bytes(" a\n") == "ĠaĊ");
  CHECK(to_printed_bytes("é") == "Ã©");
  CHECK(from_printed_bytes("ĠaĊÃ©") == " a\né");
  CHECK(from_printed_bytes("a▁") == "a▁");  // no byte is written as this character
}

}  // namespace mithril
