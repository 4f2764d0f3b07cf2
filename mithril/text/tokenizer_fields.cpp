#include "mithril/text/tokenizer_fields.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

// Long and nested values are not for messages.
std::string shown_value(const JsonField& field) {
  if (field.value().as<Json::Array>()) return "an array";
  if (field.value().as<Json::Object>())
    return field.has("type") && field["type"].is_text() ? shown_value(field["type"]) : "an object";
  constexpr size_t most = 80;
  const std::string text = to_text(field.value());
  if (text.size() <= most) return printable(text);
  return printable(text.substr(0, utf8_bytes(text.substr(0, most)))) + "...";
}

}  // namespace

void refuse_setting(const JsonField& field, std::string expected) {
  raise({.kind = ErrorKind::parse,
         .code = "E0772",
         .path = field.pointer(),
         .message = "Tokenizer does not read tokenizers of this kind",
         .facts = {{"expected", std::move(expected), ""}, {"got", shown_value(field), ""}},
         .help = "the Python package tokenizers reads tokenizers of all kinds"});
}

void require_setting(const JsonField& field, const Json& expected) {
  if (!field.is_null() && !(field.value() == expected)) refuse_setting(field, to_text(expected));
}

void require_known(const JsonField& object, std::initializer_list<const char*> known) {
  for (const auto& [name, value] : object.members()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse_setting(value, "no such field");
  }
}

std::string character_setting(const JsonField& field) {
  const std::string& text = field.text();
  if (text.empty() || first_character(text).bytes != text.size())
    refuse_setting(field, "a character");
  return text;
}

std::vector<JsonField> steps_of(const JsonField& field, const std::string& name) {
  if (field.is_null()) return {};
  if (field.type() == "Sequence") return field[name].items();
  return {field};
}

TokenIds read_ids(const JsonField& tokens) {
  TokenIds ids;
  for (const auto& [text, token] : tokens.members())
    ids.emplace(text, token.integer(0, most_token));
  return ids;
}

void lacks_unknown(const std::string& where, const std::string& token) {
  raise({.kind = ErrorKind::parse,
         .code = "E0774",
         .path = where,
         .message = "the vocabulary lacks the unknown token " + in_quotes(printable(token))});
}

}  // namespace mithril
