#include "mithril/text/token_template.hpp"

#include <utility>

#include "mithril/text/tokenizer_fields.hpp"

namespace mithril {
namespace {

void append_special(const JsonField& special, const JsonField& known, TokenTemplate& made,
                    bool is_after) {
  const int64_t type = special["type_id"].is_null() ? 0 : special["type_id"].integer();
  for (const JsonField& token : known[special["id"].text()]["ids"].items()) {
    (is_after ? made.after : made.before).push_back({token.integer(0, most_token), type});
  }
}

TokenTemplate read_template(const JsonField& step) {
  require_known(step, {"type", "single", "pair", "special_tokens"});
  TokenTemplate made;
  bool has_text = false;
  for (const JsonField& piece : step["single"].items()) {
    if (piece.has("SpecialToken")) {
      append_special(piece["SpecialToken"], step["special_tokens"], made, has_text);
      continue;
    }
    const JsonField sequence = piece["Sequence"];
    if (has_text || sequence["id"].text() != "A") refuse_setting(sequence["id"], "one text, A");
    has_text = true;
    if (!sequence["type_id"].is_null()) made.type = sequence["type_id"].integer();
  }
  if (!has_text) refuse_setting(step["single"], "one text, A");
  return made;
}

// ["[SEP]", 3]
int64_t read_named_token(const JsonField& pair) {
  const std::vector<JsonField> items = pair.items();
  if (items.size() != 2) pair.refuse_form("a token and its id");
  return items[1].integer(0, most_token);
}

// Reads the template of BERT and RoBERTa.
TokenTemplate read_ends(const JsonField& step) {
  require_known(step, {"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
  TokenTemplate made;
  made.before.push_back({.token = read_named_token(step.need("cls"))});
  made.after.push_back({.token = read_named_token(step.need("sep"))});
  return made;
}

}  // namespace

TokenTemplate read_token_template(const JsonField& field) {
  TokenTemplate made;
  for (const JsonField& step : steps_of(field, "processors")) {
    const std::string type = step.type();
    if (type == "ByteLevel") continue;  // it changes offsets alone
    if (type != "TemplateProcessing" && type != "BertProcessing" && type != "RobertaProcessing") {
      refuse_setting(
          step, "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or Sequence");
    }
    if (made.size() > 0) refuse_setting(step, "one post-processor that adds tokens");
    made = type == "TemplateProcessing" ? read_template(step) : read_ends(step);
  }
  return made;
}

}  // namespace mithril
