#include "mithril/text/tokenizer_file.hpp"

#include <utility>

#include "mithril/json/guarded_parse.hpp"
#include "mithril/text/piece_model.hpp"
#include "mithril/text/tokenizer_fields.hpp"

namespace mithril {
namespace {

std::vector<AddedToken> read_added_tokens(const JsonField& tokens, const TokenIds& vocabulary) {
  std::vector<AddedToken> added;
  if (tokens.is_null()) return added;
  for (const JsonField& token : tokens.items()) {
    require_known(token,
                  {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    const std::string text = token.need("content").text();
    if (text.empty()) refuse_setting(token["content"], "a text that is not empty");
    const bool is_special = token["special"].flag_or(false);
    added.push_back({.id = token.need("id").integer(0, most_token),
                     .text = text,
                     .is_normalized = token["normalized"].flag_or(!is_special),
                     .is_special = is_special,
                     .is_single_word = token["single_word"].flag_or(false),
                     .strips_left = token["lstrip"].flag_or(false),
                     .strips_right = token["rstrip"].flag_or(false)});
    const auto known = vocabulary.find(text);
    if (known != vocabulary.end() && known->second != added.back().id)
      refuse_setting(token["id"], std::to_string(known->second) + ", as in the vocabulary");
  }
  return added;
}

bool is_left_of(const JsonField& direction) {
  const std::string name = direction.text_or("Right");
  if (name != "Left" && name != "Right") refuse_setting(direction, "Left or Right");
  return name == "Left";
}

void read_truncation(const JsonField& truncation, TokenizerFile& file) {
  if (truncation.is_null()) return;
  // `strategy` and `stride` concern pairs of texts, and what is cut off.
  require_known(truncation, {"direction", "max_length", "strategy", "stride"});
  file.max_length = static_cast<size_t>(truncation["max_length"].integer(0, most_token));
  file.keeps_end = is_left_of(truncation["direction"]);
}

// Reads the padding of the file; without one it is the token that models pad with.
TokenPadding read_padding(const JsonField& padding, const TokenizerFile& file) {
  TokenPadding made;
  if (!padding.is_null()) {
    // Rows have the length of the longest one, whatever the first two fields say.
    require_known(padding, {"strategy", "pad_to_multiple_of", "direction", "pad_id", "pad_type_id",
                            "pad_token"});
    made.token = padding["pad_id"].integer(0, most_token);
    if (!padding["pad_type_id"].is_null()) made.type = padding["pad_type_id"].integer();
    made.is_left = is_left_of(padding["direction"]);
    return made;
  }
  for (const std::string name : {"[PAD]", "<pad>", "<|pad|>"}) {
    for (const AddedToken& token : file.added) {
      if (token.text == name) return {.token = token.id};
    }
    const auto known = file.model.vocabulary->find(name);
    if (known != file.model.vocabulary->end()) return {.token = known->second};
  }
  return made;
}

}  // namespace

TokenizerFile read_tokenizer_file(std::string_view tokenizer_json) {
  const Json parsed = guarded_parse(tokenizer_json);
  const JsonField fields(parsed);
  TokenizerFile file;
  file.kind = kind_of_model(fields["model"]);
  require_known(fields, {"version", "truncation", "padding", "added_tokens", "normalizer",
                         "pre_tokenizer", "post_processor", "decoder", "model"});
  file.model = read_piece_model(fields["model"]);
  file.normalizer = read_normalizer(fields["normalizer"]);
  file.pre_tokenizer = read_pre_tokenizer(fields["pre_tokenizer"]);
  file.decoder = read_decoder(fields["decoder"]);
  file.added = read_added_tokens(fields["added_tokens"], *file.model.vocabulary);
  file.around = read_token_template(fields["post_processor"]);
  read_truncation(fields["truncation"], file);
  file.padding = read_padding(fields["padding"], file);
  return file;
}

TokenIds read_gpt2_vocabulary(std::string_view vocab_json) {
  const Json parsed = guarded_parse(vocab_json);
  return read_ids(JsonField(parsed));
}

TokenizerFile gpt2_file(TokenIds vocabulary, const std::vector<Merge>& merges) {
  const std::string end_of_text = "<|endoftext|>";
  TokenizerFile file;
  file.kind = "BPE";
  if (const auto token = vocabulary.find(end_of_text); token != vocabulary.end())
    file.added.push_back({.id = token->second, .text = end_of_text, .is_special = true});
  file.model = byte_pair_model(std::move(vocabulary), merges, {});
  const Json words = Json::Object{{"type", "ByteLevel"}, {"add_prefix_space", false}};
  file.normalizer = [](std::string&) {};
  file.pre_tokenizer = read_pre_tokenizer(JsonField(words));
  file.decoder = byte_level_decoder();
  return file;
}

}  // namespace mithril
