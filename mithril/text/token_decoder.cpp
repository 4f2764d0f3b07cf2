#include "mithril/text/token_decoder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "mithril/text/byte_tokens.hpp"
#include "mithril/text/normalizer.hpp"
#include "mithril/text/printed_bytes.hpp"
#include "mithril/text/tokenizer_fields.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

using TokenTexts = std::vector<std::string>;

void fuse(TokenTexts& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  tokens = {std::move(text)};
}

void decode_byte_level(TokenTexts& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) bytes += from_printed_bytes(token);
  tokens = {valid_utf8(bytes)};
}

std::string text_of_byte_run(const std::string& bytes) {
  std::string valid = valid_utf8(bytes);
  if (valid == bytes) return valid;
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) text += replacement_character;
  return text;
}

// A run of bytes that is not UTF-8 is as many replacement characters.
void decode_bytes(TokenTexts& tokens) {
  TokenTexts texts;
  std::string run;
  const auto end_run = [&] {
    if (!run.empty()) texts.push_back(text_of_byte_run(run));
    run.clear();
  };
  for (std::string& token : tokens) {
    if (const std::optional<char> byte = byte_of_token(token)) {
      run += *byte;
      continue;
    }
    end_run();
    texts.push_back(std::move(token));
  }
  end_run();
  tokens = std::move(texts);
}

// English punctuation without the space before it.
void clean_up(std::string& text) {
  static const std::array<std::pair<Pattern, const char*>, 11> changes = {
      {{Pattern::of_text(" ."), "."},
       {Pattern::of_text(" ?"), "?"},
       {Pattern::of_text(" !"), "!"},
       {Pattern::of_text(" ,"), ","},
       {Pattern::of_text(" ' "), "'"},
       {Pattern::of_text(" n't"), "n't"},
       {Pattern::of_text(" 'm"), "'m"},
       {Pattern::of_text(" do not"), " don't"},
       {Pattern::of_text(" 's"), "'s"},
       {Pattern::of_text(" 've"), "'ve"},
       {Pattern::of_text(" 're"), "'re"}}};
  for (const auto& [from, to] : changes) replace_all(text, from, to);
}

TokenDecoder read_word_piece_decoder(const JsonField& step) {
  require_known(step, {"type", "prefix", "cleanup"});
  const std::string prefix = step["prefix"].text_or("##");
  const bool cleans = step["cleanup"].flag_or(true);
  return [=](TokenTexts& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      std::string& token = tokens[i];
      if (i > 0 && token.starts_with(prefix)) {
        token.erase(0, prefix.size());
      } else if (i > 0) {
        token.insert(0, " ");
      }
      if (cleans) clean_up(token);
    }
  };
}

TokenDecoder read_metaspace_decoder(const JsonField& step) {
  require_known(step,
                {"type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
  const Pattern mark = Pattern::of_text(character_setting(step["replacement"]));
  const bool adds = step["add_prefix_space"].flag_or(true);
  const bool has_prefix = step["prepend_scheme"].text_or(adds ? "always" : "never") != "never";
  return [=](TokenTexts& tokens) {
    for (size_t i = 0; i < tokens.size(); ++i)
      replace_all(tokens[i], mark, i == 0 && has_prefix ? "" : " ");
  };
}

// Removes at most `start` characters at the beginning of each token, and `stop` at its end.
TokenDecoder read_strip_decoder(const JsonField& step) {
  require_known(step, {"type", "content", "start", "stop"});
  const std::string content = character_setting(step["content"]);
  const int64_t start = step["start"].integer(0, most_token);
  const int64_t stop = step["stop"].integer(0, most_token);
  return [=](TokenTexts& tokens) {
    for (std::string& token : tokens) {
      for (int64_t i = 0; i < start && token.starts_with(content); ++i)
        token.erase(0, content.size());
      for (int64_t i = 0; i < stop && token.ends_with(content); ++i)
        token.resize(token.size() - content.size());
    }
  };
}

TokenDecoder read_replace_decoder(const JsonField& step) {
  require_known(step, {"type", "pattern", "content"});
  return [pattern = read_text_pattern(step["pattern"]),
          content = step["content"].text()](TokenTexts& tokens) {
    for (std::string& token : tokens) replace_all(token, pattern, content);
  };
}

TokenDecoder read_suffix_decoder(const JsonField& step) {
  require_known(step, {"type", "suffix"});
  return [suffix = step["suffix"].text_or("</w>")](TokenTexts& tokens) {
    if (suffix.empty()) return;
    const Pattern end = Pattern::of_text(suffix);
    for (size_t i = 0; i < tokens.size(); ++i)
      replace_all(tokens[i], end, i + 1 == tokens.size() ? "" : " ");
  };
}

TokenDecoder read_decoders(const JsonField& step) {
  require_known(step, {"type", "decoders"});
  std::vector<TokenDecoder> steps;
  for (const JsonField& each : step["decoders"].items()) steps.push_back(read_decoder(each));
  return [steps = std::move(steps)](TokenTexts& tokens) {
    for (const TokenDecoder& each : steps) each(tokens);
  };
}

TokenDecoder read_byte_level_decoder(const JsonField& step) {
  // The other fields concern the pre-tokenizer, whose form is the same.
  require_known(step, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  return decode_byte_level;
}

TokenDecoder read_byte_decoder(const JsonField& step) {
  require_known(step, {"type"});
  return decode_bytes;
}

TokenDecoder read_fuse_decoder(const JsonField& step) {
  require_known(step, {"type"});
  return fuse;
}

}  // namespace

TokenDecoder byte_level_decoder() { return decode_byte_level; }

TokenDecoder read_decoder(const JsonField& field) {
  if (field.is_null()) {
    return [](TokenTexts& tokens) {
      for (size_t i = 1; i < tokens.size(); ++i) tokens[i].insert(0, " ");
    };
  }
  static const std::map<std::string, TokenDecoder (*)(const JsonField&)> readers = {
      {"ByteLevel", read_byte_level_decoder},
      {"WordPiece", read_word_piece_decoder},
      {"Metaspace", read_metaspace_decoder},
      {"ByteFallback", read_byte_decoder},
      {"Fuse", read_fuse_decoder},
      {"Strip", read_strip_decoder},
      {"Replace", read_replace_decoder},
      {"BPEDecoder", read_suffix_decoder},
      {"Sequence", read_decoders}};
  const auto reader = readers.find(field.type());
  if (reader == readers.end()) {
    refuse_setting(field,
                   "ByteLevel, WordPiece, Metaspace, ByteFallback, Fuse, Strip, Replace, "
                   "BPEDecoder or Sequence");
  }
  return reader->second(field);
}

}  // namespace mithril
