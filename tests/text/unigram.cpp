// Unigram tokenizers, and the normal forms of texts.
#include "mithril/text/unigram.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/json/json.hpp"
#include "mithril/text/charsmap.hpp"
#include "mithril/text/normalizer.hpp"
#include "mithril/text/tokenizer.hpp"
#include "mithril/text/unicode.hpp"
#include "mithril/text/utf8.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/text/byte_pair_samples.hpp"
#include "tests/text/charsmap_sample.hpp"

namespace mithril {

using tests::text_of_error;
using tests::TokenList;
using tests::with_value;

namespace {

// The form of T5; the scores are those of an example of the package tokenizers.
const std::string unigram_json = R"({
  "added_tokens": [{"id": 9, "content": "</s>", "special": true}],
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "NFKC"}, {"type": "Strip", "strip_left": false, "strip_right": true}]},
  "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "</s>", "type_id": 0}}],
    "special_tokens": {"</s>": {"id": "</s>", "ids": [9], "tokens": ["</s>"]}}},
  "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"},
  "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false, "vocab": [
    ["<unk>", 0.0], ["a", 0.0], ["b", 0.0], ["c", 0.0], ["d", 0.0], ["cd", 1.0], ["ab", 2.0],
    ["abc", 5.0], ["abcd", 10]]}
})";

std::string with_bytes() {
  return with_value(with_value(unigram_json, "/model/byte_fallback", "true"), "/model/vocab",
                    R"([["<unk>", 0], ["a", 0], ["<0xC3>", -9], ["<0xA9>", -9]])");
}

}  // namespace

TEST_CASE("a unigram tokenizer finds the pieces of the largest total score") {
  const Tokenizer tokenizer(unigram_json);
  CHECK(tokenizer.kind() == "Unigram");
  CHECK(tokenizer.encode("abcdacdxx") == TokenList{8, 1, 5, 0, 9});
  CHECK(tokenizer.encode("abca", false) == TokenList{7, 1});
  CHECK(tokenizer.encode("") == TokenList{9});
  CHECK(tokenizer.encode("ab \n", false) == TokenList{6});  // spaces at the end are stripped
  CHECK(tokenizer.encode("ａｂ", false) == TokenList{6});   // of full width
  CHECK(tokenizer.encode("a</s>b", false) == TokenList{1, 9, 2});
  CHECK(tokenizer.decode({8, 1, 9}) == "abcda");
}

TEST_CASE("a unigram tokenizer encodes unknown characters as their bytes if it has all") {
  const Tokenizer tokenizer(with_bytes());
  CHECK(tokenizer.encode("aéa", false) == TokenList{1, 2, 3, 1});
  CHECK(tokenizer.encode("aéxa", false) == TokenList{1, 0, 1});  // one run
}

TEST_CASE("a damaged unigram tokenizer is refused") {
  const auto error_with = [](const char* pointer, const char* value) {
    return text_of_error([&] { Tokenizer{with_value(unigram_json, pointer, value)}; });
  };
  CHECK(error_with("/model/unk_id", "9").find("E0726]: /model/unk_id: ") != std::string::npos);
  CHECK(error_with("/model/vocab/1", "[\"a\"]").find("E0726]: /model/vocab/1: ") !=
        std::string::npos);
  CHECK(error_with("/model/vocab/1/1", "\"a\"").find("E0726]: /model/vocab/1/1: ") !=
        std::string::npos);
  const Tokenizer none(with_value(unigram_json, "/model/unk_id", "null"));
  CHECK(text_of_error([&] { none.encode("x"); }) ==
        "mithril.ParseError[E0774]: /model/unk_id: the vocabulary lacks the unknown token 'null'");
}

TEST_CASE("texts have four normal forms") {
  const std::string text = "é e\u0301 ﬁ Å\u2460\uac01";
  CHECK(normal_form(text, NormalForm::nfc) == "é é ﬁ Å\u2460\uac01");
  CHECK(normal_form(text, NormalForm::nfd) == "e\u0301 e\u0301 ﬁ A\u030a\u2460\u1100\u1161\u11a8");
  CHECK(normal_form(text, NormalForm::nfkc) == "é é fi Å1\uac01");
  CHECK(normal_form(text, NormalForm::nfkd) == "e\u0301 e\u0301 fi A\u030a1\u1100\u1161\u11a8");
  CHECK(normal_form(std::string("a\0é", 4), NormalForm::nfc) == std::string("a\0é", 4));
  CHECK(small_letters("İΣΑΣ ǅ") == "i\u0307σασ ǆ");
  CHECK(small_letters("\ua7cb\U00010d51") == "\u0264\U00010d71");  // of Unicode 16
}

TEST_CASE("the time for marks grows with their number, not its square") {
  std::string text = "a", below, above;
  for (int i = 0; i < 100'000; ++i) {
    text += "\u0301\u0323";
    below += "\u0323";
    above += "\u0301";
  }
  const std::clock_t begin = std::clock();
  CHECK((normal_form(text, NormalForm::nfd) == "a" + below + above));
  const std::string composed = normal_form(text, NormalForm::nfc);
  CHECK(composed.starts_with("\u1ea1\u0323"));
  CHECK(composed.ends_with("\u0301\u0301"));
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 5);
}

TEST_CASE("a compiled map of characters replaces characters and short clusters") {
  const std::optional<Charsmap> map = Charsmap::read(tests::charsmap_base64);
  REQUIRE(map.has_value());
  CHECK(map->normal("a\ufb01 \u2460\u200b!") == "afi 1!");
  CHECK(map->normal("e\u0301") == "é");
  CHECK(map->normal("e\u0301\u0302\u0303") == "e\u0301\u0302\u0303");  // more than 5 bytes
  CHECK(map->normal("") == "");
  CHECK(map->normal("eé日本") == "eé日本");
}

TEST_CASE("a damaged map of characters is not read, or replaces nothing") {
  const std::string_view whole = tests::charsmap_base64;
  CHECK(!Charsmap::read(""));
  CHECK(!Charsmap::read("AAAA"));
  CHECK(!Charsmap::read("AAQAACCQ*"));
  CHECK(!Charsmap::read(whole.substr(0, 100)));
  for (size_t at = 8; at < whole.size() - 4; at += 7) {
    std::string damaged(whole);
    damaged[at] = damaged[at] == '/' ? 'A' : '/';
    CAPTURE(at);
    const auto map = Charsmap::read(damaged);
    const std::string normal = map ? map->normal("a\ufb01 e\u0301") : "";
    CHECK(valid_utf8(normal) == normal);
  }
}

TEST_CASE("BERT reads small letters without accents in any script") {
  const auto normal = [](const char* text) {
    std::string changed = text;
    const Json field = Json::Object{{"type", "BertNormalizer"}};
    read_normalizer(JsonField(field))(changed);
    return changed;
  };
  CHECK(normal("ÅNGSTRÖM Ώρα ЁЛКА") == "angstrom ωρα елка");
  CHECK(normal("\u0531\u0532") == "\u0561\u0562");        // Armenian
  CHECK(normal("\u0622\u0623") == "\u0627\u0627");        // Arabic
  CHECK(normal("\u0958\u0bca") == "\u0915\u0bc6\u0bbe");  // Indic
  CHECK(normal("\ud55c\uae00\uac00") ==
        "\u1112\u1161\u11ab\u1100\u1173\u11af\u1100\u1161");  // Korean
  CHECK(normal("\uf900\u212a\U0002fa1d") == " \u8c48 k \U0002a600 ");
  CHECK(normal("a\u2260b\u1fefc") == "a=b`c");  // punctuation that carries an accent
}

}  // namespace mithril
