#include "mithril/text/pre_tokenizer.hpp"

#include <map>
#include <utility>

#include "mithril/text/bert_normalizer.hpp"
#include "mithril/text/normalizer.hpp"
#include "mithril/text/printed_bytes.hpp"
#include "mithril/text/split_text.hpp"
#include "mithril/text/tokenizer_fields.hpp"
#include "mithril/text/unicode.hpp"

namespace mithril {
namespace {

std::vector<TextWord> words_at(const TextWord& word, const std::vector<TextRange>& ranges) {
  std::vector<TextWord> words;
  words.reserve(ranges.size());
  for (const TextRange& range : ranges) {
    words.push_back({word.text.substr(range.begin, range.end - range.begin),
                     word.is_first && range.begin == 0});
  }
  return words;
}

PreTokenizer splitter(Pattern pattern, SplitBehavior behavior, bool is_inverted) {
  return [=, pattern = std::move(pattern)](const TextWord& word) {
    return words_at(word, split_at(word.text, pattern.find_all(word.text), behavior, is_inverted));
  };
}

std::vector<TextWord> split_by(const TextWord& word, bool (*has_property)(char32_t),
                               SplitBehavior behavior) {
  return words_at(word, split_at(word.text, find_characters(word.text, has_property), behavior));
}

SplitBehavior read_behavior(const JsonField& field, const std::string& otherwise) {
  const std::optional<SplitBehavior> behavior = split_behavior(field.text_or(otherwise));
  if (!behavior)
    refuse_setting(field, "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
  return *behavior;
}

Pattern known_pattern(std::string_view expression) { return *Pattern::read(expression); }

PreTokenizer read_byte_level(const JsonField& step) {
  require_known(step, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  static const Pattern gpt2_words = known_pattern(
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)");
  const bool has_prefix = step["add_prefix_space"].flag_or(true);
  const bool is_split = step["use_regex"].flag_or(true);
  return [=](TextWord word) {
    if (has_prefix && !word.text.starts_with(' ')) word.text.insert(0, " ");
    std::vector<TextWord> words;
    if (is_split) {
      words = words_at(
          word, split_at(word.text, gpt2_words.find_all(word.text), SplitBehavior::isolated));
    } else {
      words.push_back(std::move(word));
    }
    for (TextWord& each : words) each.text = to_printed_bytes(each.text);
    return words;
  };
}

PreTokenizer read_metaspace(const JsonField& step) {
  require_known(step,
                {"type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
  const std::string mark = character_setting(step["replacement"]);
  // Older files have `add_prefix_space` alone.
  const std::string scheme =
      step["prepend_scheme"].text_or(step["add_prefix_space"].flag_or(true) ? "always" : "never");
  if (scheme != "always" && scheme != "first" && scheme != "never")
    refuse_setting(step["prepend_scheme"], "first, always or never");
  const bool is_split = step["split"].flag_or(true);
  return [=, space = Pattern::of_text(" "), marks = Pattern::of_text(mark)](TextWord word) {
    replace_all(word.text, space, mark);
    const bool has_prefix = scheme == "always" || (scheme == "first" && word.is_first);
    if (has_prefix && !word.text.starts_with(mark)) word.text.insert(0, mark);
    if (!is_split) return std::vector<TextWord>{std::move(word)};
    return words_at(
        word, split_at(word.text, marks.find_all(word.text), SplitBehavior::merged_with_next));
  };
}

PreTokenizer read_split(const JsonField& step) {
  require_known(step, {"type", "pattern", "behavior", "invert"});
  return splitter(read_text_pattern(step["pattern"]), read_behavior(step["behavior"], "Isolated"),
                  step["invert"].flag_or(false));
}

PreTokenizer read_whitespace(const JsonField& step) {
  require_known(step, {"type"});
  return splitter(known_pattern(R"([\w\x{200c}\x{200d}]+|[^\w\s\x{200c}\x{200d}]+)"),
                  SplitBehavior::removed, true);
}

PreTokenizer read_whitespace_split(const JsonField& step) {
  require_known(step, {"type"});
  return
      [](const TextWord& word) { return split_by(word, is_white_space, SplitBehavior::removed); };
}

PreTokenizer read_bert_words(const JsonField& step) {
  require_known(step, {"type"});
  return [](const TextWord& word) {
    std::vector<TextWord> words;
    for (const TextWord& each : split_by(word, is_white_space, SplitBehavior::removed)) {
      for (TextWord& part : split_by(each, is_bert_punctuation, SplitBehavior::isolated))
        words.push_back(std::move(part));
    }
    return words;
  };
}

PreTokenizer read_punctuation(const JsonField& step) {
  require_known(step, {"type", "behavior"});
  const SplitBehavior behavior = read_behavior(step["behavior"], "Isolated");
  return [=](const TextWord& word) { return split_by(word, is_bert_punctuation, behavior); };
}

PreTokenizer read_digits(const JsonField& step) {
  require_known(step, {"type", "individual_digits"});
  const SplitBehavior behavior = step["individual_digits"].flag_or(false)
                                     ? SplitBehavior::isolated
                                     : SplitBehavior::contiguous;
  return [=](const TextWord& word) { return split_by(word, is_numeric, behavior); };
}

PreTokenizer read_delimiter(const JsonField& step) {
  require_known(step, {"type", "delimiter"});
  return splitter(Pattern::of_text(character_setting(step["delimiter"])), SplitBehavior::removed,
                  false);
}

PreTokenizer read_pre_tokenizers(const JsonField& step) {
  require_known(step, {"type", "pretokenizers"});
  std::vector<PreTokenizer> steps;
  for (const JsonField& each : step["pretokenizers"].items())
    steps.push_back(read_pre_tokenizer(each));
  return [steps = std::move(steps)](TextWord word) {
    std::vector<TextWord> words = {std::move(word)};
    for (const PreTokenizer& each : steps) {
      std::vector<TextWord> parts;
      for (TextWord& before : words) {
        for (TextWord& part : each(std::move(before))) parts.push_back(std::move(part));
      }
      words = std::move(parts);
    }
    return words;
  };
}

}  // namespace

PreTokenizer read_pre_tokenizer(const JsonField& field) {
  if (field.is_null()) return [](TextWord word) { return std::vector<TextWord>{std::move(word)}; };
  static const std::map<std::string, PreTokenizer (*)(const JsonField&)> readers = {
      {"ByteLevel", read_byte_level},
      {"Metaspace", read_metaspace},
      {"Split", read_split},
      {"Whitespace", read_whitespace},
      {"WhitespaceSplit", read_whitespace_split},
      {"BertPreTokenizer", read_bert_words},
      {"Punctuation", read_punctuation},
      {"Digits", read_digits},
      {"CharDelimiterSplit", read_delimiter},
      {"Sequence", read_pre_tokenizers}};
  const auto reader = readers.find(field.type());
  if (reader == readers.end()) {
    refuse_setting(field,
                   "ByteLevel, Metaspace, Split, Whitespace, WhitespaceSplit, BertPreTokenizer, "
                   "Punctuation, Digits, CharDelimiterSplit or Sequence");
  }
  return reader->second(field);
}

}  // namespace mithril
