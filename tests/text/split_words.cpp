// How byte-pair tokenizers split texts, and characters of damaged UTF-8.
#include "mithril/text/split_words.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "mithril/text/printed_bytes.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

using Words = std::vector<std::string_view>;

}  // namespace

TEST_CASE("GPT-2 splits words with the space before them") {
  CHECK(split_words("It's 12 o'clock") == Words{"It", "'s", " 12", " o", "'", "clock"});
  CHECK(split_words("a  b") == Words{"a", " ", " b"});
  CHECK(split_words("x \n") == Words{"x", " \n"});
  CHECK(split_words("1234567") == Words{"1234567"});
}

TEST_CASE("Llama 3 and Qwen2 split numbers and keep newlines with what is before them") {
  CHECK(split_words("1234567", {3}) == Words{"123", "456", "7"});
  CHECK(split_words("12", {1}) == Words{"1", "2"});
  CHECK(split_words("WE'LL x\n\n y", {3}) == Words{"WE", "'LL", " x", "\n\n", " y"});
  CHECK(split_words("f(y);\n\n", {3}) == Words{"f", "(y", ");\n\n"});
}

TEST_CASE("a mark begins a word") {
  CHECK(split_before("▁a▁b", "▁") == Words{"▁a", "▁b"});
  CHECK(split_before("x▁b", "▁") == Words{"x", "▁b"});
  CHECK(split_before("", "▁") == Words{});
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
