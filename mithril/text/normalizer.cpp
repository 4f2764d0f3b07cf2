#include "mithril/text/normalizer.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "mithril/text/bert_normalizer.hpp"
#include "mithril/text/charsmap.hpp"
#include "mithril/text/printed_bytes.hpp"
#include "mithril/text/tokenizer_fields.hpp"
#include "mithril/text/unicode.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

void strip_left(std::string& text) {
  size_t begin = 0;
  while (begin < text.size()) {
    const Character next = first_character(std::string_view(text).substr(begin));
    if (!is_white_space(next.code)) break;
    begin += next.bytes;
  }
  text.erase(0, begin);
}

void strip_right(std::string& text) {
  size_t end = 0;  // of the last character that is not a space
  for (size_t at = 0; at < text.size();) {
    const Character next = first_character(std::string_view(text).substr(at));
    at += next.bytes;
    if (!is_white_space(next.code)) end = at;
  }
  text.resize(end);
}

void strip_marks(std::string& text) {
  std::string made;
  for (std::string_view rest = text; !rest.empty();) {
    const Character next = first_character(rest);
    if (!is_any_mark(next.code)) made += rest.substr(0, next.bytes);
    rest.remove_prefix(next.bytes);
  }
  text = std::move(made);
}

Normalizer read_bert(const JsonField& step) {
  require_known(step, {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  BertNormalizer rule;
  rule.clean_text = step["clean_text"].flag_or(true);
  rule.separates_ideographs = step["handle_chinese_chars"].flag_or(true);
  rule.lowercase = step["lowercase"].flag_or(true);
  rule.strips_accents = step["strip_accents"].flag_or(rule.lowercase);
  return [rule](std::string& text) { text = bert_normal(text, rule); };
}

Normalizer read_strip(const JsonField& step) {
  require_known(step, {"type", "strip_left", "strip_right"});
  const bool left = step["strip_left"].flag_or(true), right = step["strip_right"].flag_or(true);
  return [left, right](std::string& text) {
    if (left) strip_left(text);
    if (right) strip_right(text);
  };
}

Normalizer read_charsmap(const JsonField& step) {
  require_known(step, {"type", "precompiled_charsmap"});
  const JsonField field = step["precompiled_charsmap"];
  if (field.is_null() || field.text().empty()) return [](std::string&) {};
  std::optional<Charsmap> map = Charsmap::read(field.text());
  if (!map) refuse_setting(field, "the map of a SentencePiece model in base64");
  // Copies of a std::function share the map.
  return [map = std::make_shared<const Charsmap>(*std::move(map))](std::string& text) {
    text = map->normal(text);
  };
}

Normalizer read_prepend(const JsonField& step) {
  require_known(step, {"type", "prepend"});
  return [prefix = step["prepend"].text()](std::string& text) {
    if (!text.empty()) text.insert(0, prefix);
  };
}

Normalizer read_replace(const JsonField& step) {
  require_known(step, {"type", "pattern", "content"});
  return [pattern = read_text_pattern(step["pattern"]), content = step["content"].text()](
             std::string& text) { replace_all(text, pattern, content); };
}

Normalizer read_normalizers(const JsonField& step) {
  require_known(step, {"type", "normalizers"});
  std::vector<Normalizer> steps;
  for (const JsonField& each : step["normalizers"].items()) steps.push_back(read_normalizer(each));
  return [steps = std::move(steps)](std::string& text) {
    for (const Normalizer& each : steps) each(text);
  };
}

template <NormalForm form>
void to_normal_form(std::string& text) {
  text = normal_form(text, form);
}

Normalizer plain_normalizer(const std::string& type) {
  static const std::map<std::string, void (*)(std::string&)> known = {
      {"NFC", to_normal_form<NormalForm::nfc>},
      {"NFD", to_normal_form<NormalForm::nfd>},
      {"NFKC", to_normal_form<NormalForm::nfkc>},
      {"NFKD", to_normal_form<NormalForm::nfkd>},
      {"Lowercase", [](std::string& text) { text = small_letters(text); }},
      {"StripAccents", strip_marks},
      {"ByteLevel", [](std::string& text) { text = to_printed_bytes(text); }}};
  const auto found = known.find(type);
  return found == known.end() ? Normalizer() : Normalizer(found->second);
}

}  // namespace

Normalizer read_normalizer(const JsonField& field) {
  if (field.is_null()) return [](std::string&) {};
  static const std::map<std::string, Normalizer (*)(const JsonField&)> readers = {
      {"BertNormalizer", read_bert}, {"Strip", read_strip},     {"Precompiled", read_charsmap},
      {"Prepend", read_prepend},     {"Replace", read_replace}, {"Sequence", read_normalizers}};
  const std::string type = field.type();
  if (const auto reader = readers.find(type); reader != readers.end()) return reader->second(field);
  Normalizer plain = plain_normalizer(type);
  if (!plain) {
    refuse_setting(field,
                   "NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend, "
                   "Precompiled, BertNormalizer, ByteLevel or Sequence");
  }
  require_known(field, {"type"});
  return plain;
}

Pattern read_text_pattern(const JsonField& field) {
  require_known(field, {"String", "Regex"});
  if (!field.has("Regex")) {
    const JsonField text = field["String"];
    if (text.text().empty()) refuse_setting(text, "a text that is not empty");
    return Pattern::of_text(text.text());
  }
  const JsonField expression = field["Regex"];
  std::optional<Pattern> pattern = Pattern::read(expression.text());
  if (!pattern) {
    refuse_setting(expression,
                   "a regular expression of characters, sets, alternatives and lookaheads, in "
                   "which characters alone are repeated");
  }
  return *std::move(pattern);
}

void replace_all(std::string& text, const Pattern& pattern, const std::string& content) {
  const std::vector<TextRange> found = pattern.find_all(text);
  if (found.empty()) return;
  std::string made;
  size_t begin = 0;
  for (const TextRange& each : found) {
    made.append(text, begin, each.begin - begin).append(content);
    begin = each.end;
  }
  text = made.append(text, begin);
}

}  // namespace mithril
