// The normalizer and the punctuation of BERT models.
#pragma once
#include <string>
#include <string_view>

namespace mithril {

struct BertNormalizer {
  bool clean_text = true;  // spaces become ' '; control and private characters are left out
  bool separates_ideographs = true;
  bool strips_accents = true;
  bool lowercase = true;
};

// Normalizes valid UTF-8. Control characters, nonspacing marks and punctuation are those of Unicode
// 8, as in the package tokenizers.
std::string bert_normal(std::string_view text, const BertNormalizer& rule);

bool is_bert_punctuation(char32_t code);

}  // namespace mithril
