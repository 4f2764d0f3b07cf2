// Byte-pair tokenizers. python/tests/packages/test_chat*.py compare them with Hugging Face's.
#include "mithril/text/byte_pair_tokenizer.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mithril/base/temporary_folder.hpp"
#include "mithril/text/tokenizer_file.hpp"
#include "mithril/text/tokenizer_model.hpp"
#include "tests/text/byte_pair_samples.hpp"

namespace mithril {

using tests::bytes_json;
using tests::gpt2_merges;
using tests::gpt2_vocabulary;
using tests::sentence_piece_json;
using tests::TokenList;
using tests::with_value;

namespace {

// Tokens whose bytes are not UTF-8 until the last one, which is "1" or "a".
struct InvalidRun {
  std::string json;
  TokenList start;
  int64_t repeated;
  int64_t last;
};

const std::vector<InvalidRun> invalid_runs = {
    {bytes_json, {}, 8, 0},              // continuation bytes
    {bytes_json, {0, 7, 8}, 7, 0},       // first bytes of characters, after "1é"
    {sentence_piece_json, {}, 11, 4},    // continuation bytes
    {sentence_piece_json, {11}, 12, 4},  // line feeds in the run of a continuation byte
    {sentence_piece_json, {7, 12, 11}, 12, 4}};

// A model that counts the tokens that it decodes.
std::shared_ptr<const TokenizerModel> counting_model(const std::string& json, size_t& count) {
  TokenizerFile file = read_tokenizer_file(json);
  file.decoder = [decoder = file.decoder, &count](std::vector<std::string>& tokens) {
    count += tokens.size();
    decoder(tokens);
  };
  return std::make_shared<const TokenizerModel>(std::move(file));
}

}  // namespace

TEST_CASE("a byte-pair tokenizer merges characters") {
  const BytePairTokenizer tokenizer(sentence_piece_json);
  CHECK(tokenizer.encode("abc a") == TokenList{9, 7});
  CHECK(tokenizer.encode("cb") == TokenList{3, 6, 5});
  CHECK(tokenizer.encode("") == TokenList{});
  CHECK(tokenizer.decode({9, 7}) == "abc a");
  CHECK(tokenizer.decode({}) == "");
}

TEST_CASE("a byte-pair tokenizer encodes unknown characters as their bytes or as unknown") {
  const BytePairTokenizer tokenizer(sentence_piece_json);
  CHECK(tokenizer.encode("é\n") == TokenList{3, 10, 11, 12});
  CHECK(tokenizer.decode({3, 10, 11, 12}) == "é\n");
  CHECK(tokenizer.encode("axya") == TokenList{7, 0, 4});  // one for both
  CHECK(tokenizer.encode("a\xff") == TokenList{7, 0});
  const BytePairTokenizer each(with_value(sentence_piece_json, "/model/fuse_unk", "false"));
  CHECK(each.encode("axya") == TokenList{7, 0, 0, 4});
  const BytePairTokenizer none(with_value(sentence_piece_json, "/model/unk_token", "null"));
  CHECK(none.encode("axya") == TokenList{7, 4});
}

TEST_CASE("a byte-pair tokenizer finds added tokens in a text") {
  const BytePairTokenizer tokenizer(sentence_piece_json);
  CHECK(tokenizer.encode("a<s>b") == TokenList{7, 1, 3, 5});
  CHECK(tokenizer.decode({7, 1, 3, 5}) == "a b");
  CHECK(tokenizer.added_token("<s>").value() == 1);
  CHECK(!tokenizer.added_token("a").has_value());
  CHECK(tokenizer.begin_of_text() == TokenList{1});
}

TEST_CASE("an added token that normalization empties is not found in a text") {
  const std::string json =
      with_value(sentence_piece_json, "/normalizer",
                 R"({"type": "Replace", "pattern": {"String": "~"}, "content": ""})");
  const BytePairTokenizer tokenizer(
      with_value(json, "/added_tokens/0",
                 R"({"id": 900, "content": "~", "special": false, "normalized": true})"));
  CHECK(tokenizer.encode(std::string("a\0~b", 4)) == TokenList{4, 0, 5});
}

TEST_CASE("a metaspace begins the text, or each text after an added token") {
  const auto with_prefix = [](const std::string& scheme) {
    const std::string json = with_value(sentence_piece_json, "/normalizer", "null");
    return BytePairTokenizer(with_value(
        json, "/pre_tokenizer",
        R"({"type": "Metaspace", "replacement": "▁", "split": true, "prepend_scheme": ")" + scheme +
            "\"}"));
  };
  CHECK(with_prefix("first").encode("abc a") == TokenList{9, 7});
  CHECK(with_prefix("first").encode("a<s>b") == TokenList{7, 1, 5});
  CHECK(with_prefix("always").encode("a<s>b") == TokenList{7, 1, 3, 5});
  CHECK(with_prefix("never").encode("a<s>b") == TokenList{4, 1, 5});
}

TEST_CASE("a tokenizer of bytes splits numbers as GPT-2, Llama 3 or Qwen2 does") {
  const auto with_digits = [](const std::string& digits) {
    const std::string json = with_value(bytes_json, "/pre_tokenizer", R"({"type": "Sequence",
        "pretokenizers": [
          {"type": "Split", "behavior": "Isolated", "invert": false, "pattern": {"Regex": ""}},
          {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})");
    const std::string regex =
        R"("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N})" + digits +
        R"(| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")";
    return BytePairTokenizer(
        with_value(json, "/pre_tokenizer/pretokenizers/0/pattern/Regex", regex));
  };
  CHECK(BytePairTokenizer(bytes_json).encode("1234") == TokenList{6});
  CHECK(with_digits("{1,3}").encode("1234") == TokenList{5, 3});
  CHECK(with_digits("").encode("1234") == TokenList{0, 1, 2, 3});
}

TEST_CASE("a word that is a token may be that token in spite of the merges") {
  const std::string json = with_value(bytes_json, "/model/merges", R"(["1 2"])");
  CHECK(BytePairTokenizer(json).encode("1234") == TokenList{4, 2, 3});
  CHECK(BytePairTokenizer(with_value(json, "/model/ignore_merges", "true")).encode("1234") ==
        TokenList{6});
}

TEST_CASE("the files of GPT-2 are a tokenizer of bytes") {
  const BytePairTokenizer tokenizer(gpt2_vocabulary, gpt2_merges);
  CHECK(tokenizer.encode("ab ab") == TokenList{3, 4});
  CHECK(tokenizer.encode("é<|endoftext|>") == TokenList{5, 6, 7});
  CHECK(tokenizer.encode("z") == TokenList{});
  CHECK(tokenizer.decode({3, 4, 5, 6, 7}) == "ab abé");
  CHECK(tokenizer.added_token("<|endoftext|>").value() == 7);
  CHECK(tokenizer.begin_of_text() == TokenList{});
  CHECK(BytePairTokenizer(gpt2_vocabulary, "a b\r\nĠ ab").encode("ab ab") == TokenList{3, 4});
}

TEST_CASE("a byte-pair tokenizer is loaded from the files of a folder") {
  const TemporaryFolder folder("mithril-test-");
  std::ofstream(folder.path("vocab.json")) << gpt2_vocabulary;
  std::ofstream(folder.path("merges.txt")) << gpt2_merges;
  CHECK(BytePairTokenizer::load(folder.path()).encode("ab ab") == TokenList{3, 4});
  std::ofstream(folder.path("tokenizer.json")) << sentence_piece_json;
  CHECK(BytePairTokenizer::load(folder.path()).encode("abc a") == TokenList{9, 7});
}

TEST_CASE("a stream returns a character when it is complete") {
  const BytePairTokenizer tokenizer(sentence_piece_json);
  SUBCASE("of several bytes") {
    TextStream text = tokenizer.stream();
    CHECK(text.push(10) == "");
    CHECK(text.push(1) == "");  // a special token
    CHECK(text.push(11) == "é");
    CHECK(text.finish() == "");
  }
  SUBCASE("of bytes that text follows") {
    TextStream text = tokenizer.stream();
    CHECK(text.push(10) == "");
    CHECK(text.push(4) == "\ufffda");
    CHECK(text.finish() == "");
  }
  SUBCASE("of bytes that nothing follows") {
    TextStream text = tokenizer.stream();
    CHECK(text.push(12) == "\n");
    CHECK(text.push(10) == "");
    CHECK(text.finish() == "\ufffd");
  }
  SUBCASE("of bytes that begin no character") {
    TextStream text = tokenizer.stream();
    CHECK(text.push(11) == "");
    CHECK(text.push(12) == "");  // in the same run
    CHECK(text.push(4) == "\ufffd\ufffda");
    CHECK(tokenizer.decode({11, 12, 4}) == "\ufffd\ufffda");
  }
  SUBCASE("after the first space") {
    TextStream text = tokenizer.stream();
    CHECK(text.push(3) == "");
    CHECK(text.push(3) == " ");
    CHECK(text.push(900) == "");  // no token of the tokenizer
  }
}

TEST_CASE("a stream decodes a long run of invalid bytes in a number of steps that is linear") {
  for (const InvalidRun& run : invalid_runs) {
    const size_t length = 4000;
    TokenList tokens = run.start;
    tokens.resize(tokens.size() + length, run.repeated);
    size_t count = 0;
    TextStream stream(counting_model(run.json, count));
    for (const int64_t token : tokens) stream.push(token);
    CHECK(count < 100 * length);
  }
}

TEST_CASE("the text of a long run of invalid bytes is a replacement character for each") {
  for (const InvalidRun& run : invalid_runs) {
    const bool is_in_run = !run.start.empty() && run.start.back() == 11;
    for (size_t length = 1; length < 70; ++length) {
      for (const bool has_end : {false, true}) {
        size_t count = 0;
        TextStream stream(counting_model(run.json, count));
        for (const int64_t token : run.start) stream.push(token);
        for (size_t i = 0; i < length; ++i) CHECK(stream.push(run.repeated) == "");
        std::string expected;
        for (size_t i = 0; i < length + is_in_run; ++i) expected += "\ufffd";
        if (has_end) CHECK(stream.push(run.last) == expected + (run.last == 0 ? "1" : "a"));
        if (!has_end) CHECK(stream.finish() == expected);
      }
    }
  }
}

}  // namespace mithril
